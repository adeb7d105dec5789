"""`python -m ingrained` is the command `ingrained`."""

from ingrained.cli.app import main

if __name__ == "__main__":
    main()
