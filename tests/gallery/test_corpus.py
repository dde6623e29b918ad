"""Inputs that once crashed, stalled or ate memory, replayed: each is drawn, or refused in the sentence that it says.

`make fuzz` finds them (tests/gallery/fuzz.py --keep tests/gallery/corpus writes one down); what they did stands in
`what`, what they have to do in `says`.
"""

import json
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests.gallery.fuzz import case, chunk, report
from tests.gallery.verdict import PATIENT, SVG_BYTES, Verdict, judge

CORPUS = sorted((Path(__file__).parent / "corpus").glob("*.json"))
CASES = 300


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_what_once_failed_is_drawn_or_refused(path):
    """At once, in little memory, and in the same words."""
    kept = json.loads(path.read_text())
    verdict = judge(kept["config"])
    assert verdict.fault() is None
    assert kept["says"] == ("drawn" if verdict.kind == "drawn" else verdict.text)


@pytest.mark.whole
def test_a_short_run_of_the_fuzzer_finds_nothing():
    """A fixed seed; every kind of case is in it, and both outcomes occur; in a process that holds nothing else."""
    with ProcessPoolExecutor(1, get_context("spawn")) as fresh:
        counts, faults, held = fresh.submit(chunk, "ci", 0, CASES, PATIENT).result()
    assert (faults, counts["wrong"], counts["cases"], held < 400) == ([], 0, CASES, True)
    assert counts["drawn"] + counts["refused"] == CASES
    assert min(counts["drawn"], counts["refused"]) > CASES / 5
    counts["over 1 s"] = 0  # how fast this machine is, is not what is tested
    said = report(counts, [held], 1)
    assert f"{CASES} cases" in said and "0 crashes, 0 over 1 s, 0 over 300 MB, 0 inj" in said


def test_a_number_makes_the_same_case_again():
    """So that a fault can be looked at."""
    assert [repr(case("a", number)) for number in range(20)] == [repr(case("a", number)) for number in range(20)]
    assert case("a", 0) != case("b", 0)


VERDICTS = [
    (Verdict("drawn", "<svg/>", 0.5, 100, []), None),
    (Verdict("drawn", "<svg/>", 1.5, 100, []), "slow: 1.50 s"),
    (Verdict("drawn", "<svg/>", 0.5, 201, []), "memory: 201 MB"),
    (Verdict("drawn", "<svg/>", 0.5, 100, ["script"]), "injected: ['script']"),
    (Verdict("drawn", "x" * (SVG_BYTES + 1), 0.5, 100, []), "svg: 2,000,001 bytes"),
    (Verdict("refused", "hidden_size is 0; a width was looked for.", 0.5, 100, []), None),
    (Verdict("refused", "no", 0.5, 100, []), "no clear sentence: 'no'"),
    (Verdict("crash", "KeyError: 'a'", 0.5, 100, []), "crash: KeyError: 'a'"),
]


@pytest.mark.parametrize(("verdict", "fault"), VERDICTS)
def test_a_verdict_says_what_is_wrong(verdict, fault):
    """Crash, time, memory, markup, size, words: the worst first."""
    assert fault == verdict.fault(seconds=1)
