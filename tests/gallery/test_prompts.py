"""Numbers of vectors that stand in front of the tokens, against buckets worked out by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from cutaway.gallery.running.numbers.prompts import distance_bias

FACTS = {"before": 0, "kind": 1, "buckets": 32, "longest": 128, "types": 2}
TABLE = {"weight": np.arange(36.0)[:, None]}  # a row says its own number


def bucket(query: int, key: int) -> int:
    """The row of the table that a pair of 300 tokens of one segment reads."""
    node = SimpleNamespace(facts=FACTS)
    return int(distance_bias(None, node, TABLE, np.ones(300, int))[0, query, key])


@pytest.mark.parametrize(
    ("back", "row"), [(0, 0), (1, 1), (7, 7), (8, 8), (15, 9), (16, 10), (32, 12), (64, 14), (127, 15), (290, 15)]
)
def test_a_distance_has_its_bucket(back, row):
    """32 buckets up to 128: eight of one distance each, then eight that share; keys ahead have 16 of their own."""
    assert bucket(290, 290 - back) == row
    assert bucket(0, back) == row + (16 if back else 0)


def test_pairs_across_segments_have_rows_of_their_own():
    """After the 32 buckets: a row for each pair of segments, the query's first."""
    tokens = np.array([1, 0])  # padding belongs to segment 0
    node = SimpleNamespace(facts=FACTS)
    assert distance_bias(None, node, TABLE, tokens)[0].tolist() == [[0.0, 34.0], [33.0, 0.0]]
