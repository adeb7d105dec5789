"""Reports: what commands answer, as published shapes, and the same as text for a terminal."""
