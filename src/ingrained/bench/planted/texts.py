"""The words of hidden rules. They say nothing of what a rule does: a world deals its effects to them by lot."""

from __future__ import annotations

from typing import Final

SINGLE: Final = (
    "Name the unit behind each number",
    "Begin with the date of the request",
    "Give the total in the last line",
    "Quote the words of the customer",
    "Keep each paragraph under five lines",
    "Round to two places at the end",
    "List the sources by age",
    "Put the address above the greeting",
    "Answer the second question first",
    "Write dates with the month in letters",
    "Leave a blank line after each table",
    "Name the person who is to act next",
    "Spell out every short form once",
    "Repeat the order number in each section",
    "State what was left out",
    "Sort the rows by name",
    "Use the present tense throughout",
    "Close with one open question",
    "Compare each figure with that of last month",
    "Number the steps from one",
    "Offer two ways to go on",
    "Add a margin of a tenth to each estimate",
    "Copy the form of the last letter",
    "Mark what is new with a star",
    "Ask for the invoice before the contract",
    "Show the longest case first",
    "Translate each heading",
    "Give prices without taxes",
)
"""Each says something of its own. No mark of a sentence, and no `; `, which joins two."""

SAME: Final = (
    ("Check the sum against the ledger", "Compare the sum with the ledger", "Hold every sum against the ledger"),
    ("Read the whole thread before the answer", "Go through all of the thread first", "Start from the whole thread"),
    ("Send a copy to the team lead", "Let the team lead have a copy", "Copy the team lead in"),
    ("Wait a day before a reminder", "Remind nobody on the same day", "Let a day pass before a reminder"),
)
"""Two wordings of one thing, and one line that says both."""
