"""per_layer_config: transformers' own way to say what single layers have for themselves, in any family.

{"3": {"head_dim": 48}, ...}: keys of one layer come before those of the model, for the builders that read the model's.
A key of a layer that none of them asks for is unread: it changes nothing here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.keys import SPELLINGS
from cutaway.gallery.reading.reading import Reading
from cutaway.gallery.reading.text_part import short
from cutaway.gallery.spec import ConfigError


class LayerFacts(Facts):
    """Facts of one layer. Remembers by itself what was asked for."""

    def __init__(self, model: Facts, keys: Mapping, where: str) -> None:
        self.__dict__.update(vars(model))
        self.model = model
        self.own: dict[str, str] = {}  # name -> the key as the config spells it
        self._values, self._written, self._asked = dict(model._values), dict(model._written), set()
        for key, value in keys.items():
            name = self._own.get(key) or (SPELLINGS[key][0] if key in SPELLINGS else "")
            if name:
                self._values[name], self._written[name] = value, f"{where}.{key}"
            self.own[name or key] = f"{where}.{key}"

    def tell(self) -> None:
        """The model hears what was asked for, and which keys of the layer nobody asked for."""
        self.model._asked |= self._asked
        self.model._unknown += [word for name, word in self.own.items() if name not in self._asked]


def tell(alone: Mapping[int, Reading]) -> None:
    """Once all layers are built."""
    for one in alone.values():
        if isinstance(one.facts, LayerFacts):
            one.facts.tell()


def readings(r: Reading) -> dict[int, Reading]:
    """The reading of each layer that has keys of its own; ConfigError for an entry that is of no layer."""
    facts, each = r.facts, r.facts.raw("per_layer_config")
    if not isinstance(each, Mapping):  # null: `raw` refuses all else
        return {}
    found = {}
    for number, keys in each.items():
        place = int(number) if str(number).isdecimal() and len(str(number)) < 7 else r.depth
        if place >= r.depth or not isinstance(keys, Mapping):
            raise ConfigError(
                f"per_layer_config has {short(number)}: {short(keys)}; the number of one of the {r.depth} layers and "
                "an object of its keys were looked for. Correct it in the config."
            )
        found[place] = replace(r, facts=LayerFacts(facts, keys, f"per_layer_config.{place}"))
    return found
