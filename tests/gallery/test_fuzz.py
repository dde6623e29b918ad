"""Six hundred broken configs, each drawn or refused in one sentence, none marked up; `make fuzz` has more."""

import time

import pytest

from cutaway.gallery import catalog
from tests.gallery.mutate import crossed, mutated
from tests.gallery.verdict import PATIENT, judge, outcome

CONFIGS = 480
CROSSED = 128
CHUNKS = 16
SLUGS = [row.slug for row in catalog.drawable_rows() if not row.config_of]


def chunks(count: int) -> list:
    """All of them; `make check` runs every eighth."""
    return [n if n % 8 == 0 else pytest.param(n, marks=pytest.mark.whole) for n in range(count)]


@pytest.mark.parametrize("chunk", chunks(CHUNKS))
def test_a_broken_config_is_drawn_or_refused_in_one_sentence(chunk):
    """No other exception, no second lost, no element or attribute that came out of a config's string."""
    size = CONFIGS // CHUNKS
    cases = [(f"{chunk}-{i}", SLUGS[(chunk * size + i) % len(SLUGS)]) for i in range(size)]
    faults = [
        (seed, slug, words) for seed, slug in cases if (words := judge(mutated(catalog.load(slug), seed)).fault())
    ]
    assert faults == []


@pytest.mark.whole
@pytest.mark.parametrize("chunk", range(CHUNKS // 4))
def test_two_crossed_configs_are_drawn_or_refused(chunk):
    """Keys, parts, words, switches and names of one family in another one's config: the same three rules hold."""
    size, faults = CROSSED // (CHUNKS // 4), []
    for i in range(chunk * size, (chunk + 1) * size):
        one, other = SLUGS[i % len(SLUGS)], SLUGS[i * 61 % len(SLUGS)]
        words = judge(crossed(catalog.load(one), catalog.load(other), f"x{i}")).fault()
        faults += [(i, one, other, words)] if words else []
    assert faults == []


def test_both_outcomes_occur():
    """The mutations are neither so mild that all are drawn nor so harsh that none is."""
    kinds = [outcome(mutated(catalog.load(SLUGS[i % len(SLUGS)]), f"0-{i}"))[0] for i in range(120)]
    assert kinds.count("drawn") > 25
    assert kinds.count("refused") > 25


@pytest.mark.parametrize("layers", [10**9, 10**5, -1, 0, 1.5, "61", None, True])
def test_an_impossible_depth_is_refused_politely(layers):
    """num_hidden_layers of a billion costs no time and no memory."""
    config = {**catalog.load("deepseek-ai/DeepSeek-V3"), "num_hidden_layers": layers}
    start = time.process_time()
    kind, text = outcome(config)
    assert time.process_time() - start < PATIENT
    assert (kind, "num_hidden_layers" in text) == ("refused", True)
