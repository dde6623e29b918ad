"""Every key that is read passes one place that checks its type: recorded over catalogue, golden forwards and corpus."""

import json
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest

from cutaway.gallery import catalog, read
from cutaway.gallery.reading import value_types
from cutaway.gallery.reading.ignored import CACHE_FORMAT, QUANTIZED
from cutaway.gallery.reading.keys import KEYS, UNITS
from cutaway.gallery.reading.not_decoders import _FRAME
from cutaway.gallery.reading.text_part import ENVELOPES
from cutaway.gallery.reading.towers import NAMES as TOWERS
from cutaway.gallery.spec import ConfigError
from tests.gallery.bombs import bomb, configs, families, inside

# Read before it is known whose config it is; each is looked at as whatever it is, and none reaches a layer.
ENVELOPE = {*_FRAME, "version", "metadata", "is_encoder_decoder", *ENVELOPES, *TOWERS, *QUANTIZED, CACHE_FORMAT,
            "expert_dtype"}  # fmt: skip
WRONG = (True, "x", -1.5, [], ["x", {}], {}, {"a": [1]})
STRIDE = 997  # a prime: over all families every wrong value meets every kind of key


class Recorded(dict):
    """A config that notes which of its keys were looked up one by one."""

    def __init__(self, said: dict, seen: set) -> None:
        super().__init__(said)
        self.seen = seen

    def __getitem__(self, key):
        self.seen.add(key)
        return super().__getitem__(key)

    def get(self, key, default=None):
        self.seen.add(key)
        return super().get(key, default)


def looked_up(config: dict, monkeypatch) -> tuple[set, set]:
    """(keys of the text part that were looked up, those of them whose type was checked)."""
    seen, checked = set(), set()
    inner = next((name for name in ENVELOPES if isinstance(config.get(name), dict) and config[name]), "")
    text = Recorded(config[inner] if inner else config, seen)
    reached = value_types.Written.__getitem__

    def noted(self, key):
        checked.add(key)
        return reached(self, key)

    with monkeypatch.context() as patched:
        patched.setattr(value_types.Written, "__getitem__", noted)
        with suppress(ConfigError):
            read({**config, inner: text} if inner else text)
    return seen, checked


def every_config() -> list[dict]:
    """A third of the catalogue's, all of the golden forwards' and of the fuzzer's."""
    corpus = (Path(__file__).parent / "corpus").glob("*.json")
    kept = [json.loads(path.read_text())["config"] for path in sorted(corpus)]
    slugs = [row.slug for row in catalog.drawable_rows() if not row.config_of]
    return [*map(catalog.load, slugs[::3]), *configs().values(), *kept]


@pytest.mark.whole
def test_every_key_that_is_looked_up_passes_the_check_of_its_type(monkeypatch):
    """No reader takes a key out of the raw config by itself; those of the envelope are all there are."""
    seen, checked = set(), set()
    for config in every_config():
        if isinstance(config, dict):
            found, passed = looked_up(config, monkeypatch)
            seen |= found - passed
            checked |= passed
    assert seen - ENVELOPE == set()
    assert {"rope_scaling", "rope_parameters", "is_causal", "yarn_only_types", "model_type"} <= checked


def test_every_row_of_keys_has_a_type():
    """A unit that leaves it open has a row of its own beside the check; a name without either is a fault."""
    assert {key.name for key in KEYS if not value_types.type_of(key.name).words} == set()
    assert [name for name in value_types.OWN if UNITS.get(name, "any") not in ("any", *ELSEWHERE)] == []
    with pytest.raises(LookupError, match="no_such_key has no type: give it a row"):
        value_types.type_of("no_such_key")


ELSEWHERE = ("width", "word")  # units of rows whose values may be lists, too


@pytest.mark.whole
def test_a_key_of_a_wrong_type_is_refused_in_a_sentence_or_says_nothing():
    """Every key that any family asks for, set to what it cannot be: a list, an object, a word, a flag, a number."""
    names, turned = sorted({*UNITS, *value_types.OWN}), list(families().values())
    chosen, wrong = list(product(turned, names, WRONG))[::STRIDE], []
    for name, key, value in chosen:
        config = bomb(configs()[name], (*inside(configs()[name]), key), value)
        try:
            read(config)
        except ConfigError as refused:
            if "\n" in str(refused):
                wrong.append((name, key, value, "two lines"))
        except Exception as crash:
            wrong.append((name, key, value, repr(crash)))
    assert wrong == []
    assert len(chosen) > 400


@pytest.mark.parametrize(("key", "value", "words"), [
    ("rope_scaling", "yarn", "an object"),
    ("rope_parameters", [1], "an object"),
    ("kda_lower_bound", "a", "a number, or a list with one for each layer"),
    ("use_bidirectional_attention", 2, "true, false, or all"),
    ("logit_scale", [1.0], "a number, or a rule's name"),
    ("id2label", "x", "an object"),
])  # fmt: skip
def test_the_sentence_says_which_type_was_looked_for(key, value, words):
    """The same for any family: what was read, what was looked for, what to do."""
    kimi = {
        **catalog.load("moonshotai/Kimi-Linear-48B-A3B-Instruct"),
        "architectures": ["KimiForSequenceClassification"],
    }
    with pytest.raises(ConfigError, match=rf"{key} is .*; {words} was looked for\. Correct it in the config\."):
        read({**kimi, key: value})
