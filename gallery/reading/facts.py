"""Facts turns a raw config into typed answers under one name per meaning, and remembers which keys were asked for.

The text part may lie under `text_config` and the like; a text key wins over the same key at top level. A key that is
present but null is an answer too ("none"), so a class default does not stand in for it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NoReturn

from cutaway.gallery.reading.ignored import IGNORED_WORDS
from cutaway.gallery.reading.keys import FIRST, LIMITS, NESTED, SPELLINGS, UNITS
from cutaway.gallery.reading.text_part import ENVELOPES, short
from cutaway.gallery.reading.value_types import Written, wanted
from cutaway.gallery.spec import ConfigError

MISSING = object()
MAX_LIST = 20_000


class Facts:
    """Answers under canonical names. Every question is remembered; `unread()` is what nobody asked."""

    def __init__(self, text: Mapping, top: Mapping, defaults: Mapping, spellings: Mapping) -> None:
        self.defaults = dict(defaults)
        self.text = Written(text, spellings, self.refuse)
        self._own = spellings
        self._values: dict[str, object] = {}
        self._ranks: dict[str, int] = {}
        self._written: dict[str, str] = {}
        self._twice: list[tuple[str, str, str]] = []
        self._unknown: list[str] = []
        self._asked: set[str] = set()
        self._take(text, "")
        if top is not text:
            self._take_top(top)

    def _take(self, source: Mapping, prefix: str) -> None:
        own, spellings = self._own, SPELLINGS
        for key, value in source.items():
            if not isinstance(key, str):
                raise ConfigError(
                    f"A key of the config is {short(key)}; keys of a JSON object are strings. Mend the file."
                )
            word = prefix + key
            name = own.get(word)
            found = (name, -1) if name else spellings.get(word)
            if found:
                self._keep(found[0], found[1], word, value)
            elif isinstance(value, Mapping) and word in NESTED:
                if word != "rope_parameters" or not self.text.get("rope_scaling"):  # the class reads that one alone
                    self._take(value, word + ".")
            elif word not in IGNORED_WORDS and prefix not in FIRST and key not in ENVELOPES:
                self._unknown.append(word)

    def _take_top(self, top: Mapping) -> None:
        """Top-level keys beside a text part: used where the text part is silent, never against it."""
        for key, value in top.items():
            found = SPELLINGS.get(key) if isinstance(key, str) else None
            if found and found[0] not in self._values:
                self._keep(found[0], found[1], key, value)
            elif isinstance(key, str) and not found and key not in IGNORED_WORDS and key not in ENVELOPES:
                self._unknown.append(key)

    def _keep(self, name: str, rank: int, word: str, value: object) -> None:
        if name in self._values:
            if self._values[name] is not None and value is not None and self._values[name] != value:
                self._twice.append((name, self._written[name], word))
            if self._values[name] is not None and (value is None or rank >= self._ranks[name]):
                return
        self._values[name], self._ranks[name], self._written[name] = value, rank, word

    # ---------------------------------------------------------------- asking

    def _value(self, name: str, default: object = None) -> object:
        """The value under a canonical name; null counts as an answer, a missing key falls to the class default."""
        self._asked.add(name)
        value = self._values.get(name, MISSING)
        if value is MISSING:
            value = self.defaults.get(name, default)
        return value

    def raw(self, name: str, default: object = None) -> object:
        """The same, of the type that the name has: a number or a list of them, say."""
        value = self._value(name, default)
        if words := wanted(name, value):
            self.refuse(name, value, words)
        return value

    def has(self, name: str) -> bool:
        """Whether the config says something other than null; a class default does not count."""
        self._asked.add(name)
        return self._values.get(name) is not None

    def says(self, name: str) -> bool:
        """Whether the key is present at all, even as null."""
        self._asked.add(name)
        return name in self._values

    def assume(self, name: str, value: object) -> None:
        """Answer so where the config leaves the key out, or says null: the class works it out from other keys."""
        if not self.has(name):
            self._values[name], self._ranks[name] = value, -1
            self._written.setdefault(name, name)

    def said(self) -> tuple[tuple[str, object], ...]:
        """Canonical names and values of all that the file itself says; nothing is remembered as asked."""
        return tuple((name, self._values[name]) for name in self._written)

    def overrule(self, name: str, value: object) -> str:
        """Answer so whatever the config says, for the class does not read the key; a sentence where that differs."""
        self._asked.add(name)
        said = self._values.get(name)
        self._values[name] = value
        if said is None or said == value:
            return ""
        found, has = (str(one).lower() if one is None or isinstance(one, bool) else short(one) for one in (said, value))
        return f"{self.word_for(name)} = {found} is not read by the class, which has {has}, and is drawn so."

    def settle(self, *names: str) -> None:
        """Mark keys as understood where what they say follows from others, or is switched off."""
        self._asked.update(names)

    def word_for(self, name: str) -> str:
        """The key as the config spells it."""
        return self._written.get(name, name)

    def integer(self, name: str, default: int | None = None) -> int | None:
        """A whole number within the limits of its unit, or None."""
        value = self._value(name, default)
        return None if value is None else self.check_integer(name, value)

    def check_integer(self, name: str, value: Any) -> int:
        """`value` as a whole number within the limits of the unit of `name`, or a ConfigError."""
        low, high = LIMITS.get(UNITS.get(name, ""), (0, 10**12))
        if isinstance(value, float) and math.isfinite(value) and value == int(value):
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self.refuse(name, value, f"a whole number from {low:,} to {high:,}")
        return value

    def need(self, name: str, default: int | None = None) -> int:
        """A whole number that has to be there."""
        value = self.integer(name, default)
        if value is None:
            spelled = [word for word, (key, _) in SPELLINGS.items() if key == name]
            raise ConfigError(
                f"The config has no {name}: looked for {', '.join(spelled[:6])} and found none. Add one of them."
            )
        return value

    def at_least(self, name: str, value: int, least: int = 1) -> int:
        """`value`, where it is not too small for what is built with it."""
        if value < least:
            self.refuse(name, value, f"a whole number from {least}")
        return value

    def need_width(self, name: str) -> int:
        """A width that has to be there and is one number."""
        return self.width_at(name, 0)

    def width_at(self, name: str, index: int) -> int:
        """The same for one layer of a width that may be a list."""
        value = self.per_layer(name, index)
        if value is None or value < 1:
            self.refuse(name, value, "a width of at least 1")
        return value

    def number(self, name: str, default: float | None = None) -> float | None:
        """A finite number, or None."""
        value = self._value(name, default)
        if value is None:
            return None
        most = 1e12 if UNITS.get(name) == "base" else 1e6
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
            self.refuse(name, value, f"a finite number from 0 to {most:,.0f}")
        return float(value)

    def flag(self, name: str, default: bool = False) -> bool:
        """True or false; null means the default."""
        value = self._value(name, default)
        if value is None:
            return default
        if not isinstance(value, bool) and value not in (0, 1):
            self.refuse(name, value, "true or false")
        return bool(value)

    def word(self, name: str, default: str = "") -> str:
        """A short string."""
        value = self._value(name, default)
        if value is None:
            return default
        if not isinstance(value, str):
            self.refuse(name, value, "a string")
        return value[:200]

    def items(self, name: str) -> list | None:
        """A list, or None."""
        value = self._value(name)
        if value is None:
            return None
        if not isinstance(value, list | tuple) or len(value) > MAX_LIST:
            self.refuse(name, value, f"a list of at most {MAX_LIST:,} entries")
        return list(value)

    def integers(self, name: str) -> list[int] | None:
        """A list of whole numbers, or None."""
        values = self.items(name)
        if values is None:
            return None
        for value in values:
            if isinstance(value, bool) or not isinstance(value, int) or abs(value) > 10**12:
                self.refuse(name, value, "a list of whole numbers")
        return values

    def numbers(self, name: str) -> list[float] | None:
        """A list of finite numbers, null among them read as 0, or None."""
        values = self.items(name)
        for value in values or ():
            if value is not None and (
                isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1e12
            ):
                self.refuse(name, values, "a list of finite numbers from 0")
        return values if values is None else [float(value or 0) for value in values]

    def per_layer(self, name: str, index: int, default: int | None = None) -> int | None:
        """A whole number that may be written once for all layers or as a list with one entry per layer."""
        value = self._value(name, default)
        if isinstance(value, list | tuple):
            if not value:
                return default
            value = value[index] if index < len(value) else value[-1]
        return None if value is None else self.check_integer(name, value)

    def refuse(self, name: str, value: object, wanted: str) -> NoReturn:
        """Raise the one sentence that says what was read, what was looked for and what to do."""
        raise ConfigError(
            f"{self.word_for(name)} is {short(value)}; {wanted} was looked for. Correct it in the config."
        )

    def rotary_share(self, layer_word: str) -> float | None:
        """partial_rotary_factor, which rope_parameters may give layer type by layer type (Gemma 4, Laguna)."""
        ropes = self.text.get("rope_parameters") or self.defaults.get("rope_parameters")
        inner = ropes.get(layer_word) if isinstance(ropes, Mapping) else None
        share = inner.get("partial_rotary_factor") if isinstance(inner, Mapping) else None
        if share is None:
            return self.number("partial_rotary_factor")
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            self.refuse("partial_rotary_factor", share, "a number from 0 to 1")
        return float(share)

    # ---------------------------------------------------------------- what is left

    def unread(self) -> tuple[str, ...]:
        """Keys of the config that nobody asked for and that no rule sets aside."""
        silent = [
            self._written[name]
            for name, value in self._values.items()
            if name not in self._asked and value is not None and value is not False
        ]
        return tuple(word[:80] for word in dict.fromkeys(self._unknown + silent))

    def said_twice(self) -> tuple[str, ...]:
        """Sentences for meanings that the config spells twice with two values."""
        sentences = []
        for name, first, second in self._twice:
            if name in self._asked:
                kept, value = self._written[name], short(self._values[name], 40)
                sentences.append(
                    f"the config has different values for {first} and {second}; {kept} = {value} was used."
                )
        return tuple(dict.fromkeys(sentences))
