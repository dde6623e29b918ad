"""A raw config -> the part that is the language model, and what lies around it; how a value stands in a sentence."""

from __future__ import annotations

from collections.abc import Mapping

from cutaway.gallery.spec import ConfigError

ENVELOPES = ("text_config", "llm_config", "llm_cfg", "language_config", "thinker_config", "text_model_config")
LEAVES = frozenset((str, int, float, bool, type(None)))
MAX_DEPTH = 40  # objects and lists in each other; published configs stay under 10


def short(value: object, limit: int = 60) -> str:
    """A value as it may stand in a sentence: one line, cut off."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 10**18:
        return "a number with more than 18 digits"
    if isinstance(value, Mapping):
        return f"a dict of {len(value)} keys"
    if isinstance(value, list | tuple) and len(value) > 8:
        return f"a list of {len(value)} entries"
    text = repr(value).replace("\n", " ")
    return text if len(text) <= limit else text[: limit - 1] + "…"


def nests_too_deep(config: Mapping) -> bool:
    """Whether objects and lists lie in each other more than MAX_DEPTH deep: writing such a value out takes seconds."""
    inside: list = [config]
    for _ in range(MAX_DEPTH):
        values = [value for one in inside for value in (one.values() if isinstance(one, Mapping) else one)]
        inside = [value for value in values if type(value) not in LEAVES and isinstance(value, Mapping | list | tuple)]
        if not inside:
            return False
    return True


def unwrap(config: object) -> tuple[Mapping, Mapping]:
    """(text part, what is around it): the text part may lie under one of ENVELOPES, or two of them in each other."""
    if not isinstance(config, Mapping):
        raise ConfigError(
            f"A config is a JSON object; {type(config).__name__} was read. Pass the parsed content of config.json."
        )
    if nests_too_deep(config):
        raise ConfigError(
            f"The config nests objects or lists more than {MAX_DEPTH} deep, which no published config does. "
            "Remove what lies that deep, or pass the config.json as it was published."
        )
    text, top = config, config
    for _ in range(3):
        inner = next((text[name] for name in ENVELOPES if isinstance(text.get(name), Mapping) and text[name]), None)
        if inner is None:
            break
        top = {**text, **top} if text is not config else top  # what lies between (a thinker) counts as outside
        text = inner
    return text, top
