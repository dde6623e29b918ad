"""Six hundred broken configs, each drawn or refused in one sentence, none marked up; `make fuzz` has more."""

import json
import re
import time
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest

from cutaway.gallery import catalog, read, reading
from cutaway.gallery.spec import ConfigError
from tests.gallery.mutate import crossed, mutated
from tests.gallery.verdict import PATIENT, judge, outcome
from tests.oracle.forward import CASES

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


@pytest.mark.whole
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


WRONG = (7, True, "x", ["x"], {"a": 1}, {"rope_type": 7}, {"rope_theta": ["x"]}, {"full_attention": 7})
FAMILIES = Path(reading.__file__).parent / "families"


def test_keys_that_a_family_looks_up_itself_may_hold_anything():
    """DBRX asked rope_parameters for its base and ended on a number, as yarn_only_types did: what is not asked of
    Facts, which checks types, is drawn or refused as well."""
    asked = set()
    for path in FAMILIES.glob("*.py"):
        golden = next(iter(sorted(CASES.glob(f"{path.stem}*.json"))), None)
        keys = set(re.findall(r'text\.get\("(\w+)"\)', path.read_text()))
        for key, value in product(sorted(keys if golden else ()), WRONG):
            asked.add(path.stem)
            with suppress(ConfigError):
                read(json.loads(golden.read_text())["config"] | {key: value})
    assert len(asked) > 8
