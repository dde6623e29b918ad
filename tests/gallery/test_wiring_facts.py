"""What a running class was seen to do (facts_wiring.csv, transformers 5.23.0), column by column, against our graphs."""

import csv
import json
import re
import sys
from functools import cache
from pathlib import Path

import pytest

ORACLE = Path(__file__).parents[1] / "oracle"
sys.path.insert(0, str(ORACLE))

import wiring_facts as ours  # noqa: E402

KNOWN = json.loads((ORACLE / "forward_exceptions.json").read_text())
ROWS = list(csv.DictReader((ORACLE / "facts_wiring.csv").open(encoding="utf-8")))
NOISE = re.compile(r">(\w*dropout\w*|act_fn|activation_fn)(?=>|$| )")


@cache
def reading(case):
    return ours.Read(json.loads((ORACLE / "forward" / f"{case}.json").read_text())["config"])


def before_bracket(cell):
    return cell.split(" (")[0].strip()


def matters(cell):
    """Whether a key has an effect; a later norm may cancel it, but the graph has it."""
    return cell.startswith(("effective", "cancelled"))


def capped(cell):
    said = [word.partition("=") for word in cell.split() if "gate" not in word and "up_softcap" not in word]
    return " ".join(sorted(f"{'attn' if 'attn' in name else 'final'}={float(cap):g}" for name, _, cap in said))


def modules(cell):
    return set(cell.split())


def norms(cell):
    return "=1+w" in cell, "LayerNorm" in cell


def style(cell):
    if "inside hyper-connections" in cell:
        return "pre-norm"
    return before_bracket(cell)


COLUMNS = {  # column: (what a cell says, what our graphs say)
    "router scoring (order of calls)": (before_bracket, ours.scoring),
    "router bias": (str, ours.bias),
    "norm_topk flag": (matters, ours.norm_topk),
    "routed scale": (matters, ours.routed_scale),
    "mlp activation (called)": (modules, ours.activations),
    "norm style": (style, ours.style),
    "norm weight": (norms, lambda it: (ours.plus_one(it), ours.layer_norm(it))),
    "softcap (config)": (capped, ours.caps),
    "qk-norm modules": (modules, ours.qk_norms),
    "layer call order": (lambda cell: NOISE.sub("", cell), lambda it: " | ".join(ours.order(it))),
}


def differs(column, row):
    """Whether a cell and our graphs disagree; None where the column says nothing of this case."""
    said, derive = COLUMNS[column]
    if column == "mlp activation (called)" and not row[column]:
        return None  # the class has its activation written out
    want, found = said(row[column]), derive(reading(row["case"]))
    if found is None:
        return None  # the file has no such key
    if isinstance(found, set) and "" in found:  # norms without a weight have no name in a state dict
        return bool(want) != bool(found)
    return want != found


@pytest.mark.parametrize("column", sorted(COLUMNS))
def test_what_a_running_class_was_seen_to_do_is_in_the_graph(column, verified):
    """Every row of the column, apart from cases that are not read yet and exceptions with a reason, is our graph's."""
    rows = [row for row in ROWS if row["case"] not in KNOWN["forward"]]
    found = {row["case"]: differs(column, row) for row in rows}
    known = {case for case in found if f"{case}: {column}" in KNOWN["wiring_facts"]}
    checked = {case: wrong for case, wrong in found.items() if wrong is not None and case not in known}
    print(f"{sum(not wrong for wrong in checked.values())} of {len(checked)} rows: {column}; {len(known)} exceptions")
    wrong = sorted(case for case, wrong in checked.items() if wrong)
    verified(f"wiring facts: {column}", checked=len(checked), mismatches=len(wrong), against="transformers 5.23.0")
    assert wrong == []
    assert all(found[case] for case in known), "an exception that agrees after all"
