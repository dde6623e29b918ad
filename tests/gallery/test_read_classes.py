"""Families that the catalogue does not have: configuration classes at their defaults, and with one thing changed."""

import json
from pathlib import Path

from gallery import parameters, read

FILE = json.loads((Path(__file__).parents[1] / "oracle" / "classes.json").read_text())["classes"]
AGAINST = "transformers 5.23.0 on meta tensors, configuration classes"


def test_a_hundred_classes_have_the_measured_total(verified):
    """Every decoder class that we know by name, at the defaults of its configuration class."""
    wrong = [name for name, row in FILE.items() if parameters(read(row["config"])).total != row["total"]]
    verified("total parameters of configuration classes", checked=len(FILE), mismatches=len(wrong), against=AGAINST)
    assert wrong == []


def test_the_classes_are_known_by_name():
    """None of them is read from its keys alone."""
    assert [name for name, row in FILE.items() if read(row["config"]).read_from_keys] == []


def test_one_changed_key_changes_the_total_as_measured(verified):
    """Biases, tied heads, QK-norms, head sizes, expert counts, ...: each toggled alone."""
    rows = [(name, diff, total) for name, row in FILE.items() for diff, total in row.get("variants", [])]
    wrong = [
        (name, diff) for name, diff, total in rows if parameters(read({**FILE[name]["config"], **diff})).total != total
    ]
    verified("total parameters with one key changed", checked=len(rows), mismatches=len(wrong), against=AGAINST)
    assert wrong == []
