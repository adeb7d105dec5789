"""What the gate's verdicts are worth, by simulation: how often it errs, what it finds, what that costs in replays."""
