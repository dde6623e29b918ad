"""Thirteen thousand broken configs, each drawn or refused in one sentence; none gets markup into a drawing."""

import re
import time
import xml.etree.ElementTree as ET

import pytest

from gallery import ConfigError, catalog, draw, memory, read
from gallery.reading.quantization import stored
from tests.gallery.mutate import crossed, mutated

CONFIGS = 10_000
CROSSED = 3_000
CHUNKS = 40
SECONDS = 1.0  # of processor time: other work on the machine does not count
SLUGS = [row.slug for row in catalog.drawn() if not row.config_of]
TAGS = {
    *(
        "svg",
        "g",
        "path",
        "rect",
        "text",
        "tspan",
        "title",
        "desc",
        "style",
        "defs",
        "use",
        "line",
        "circle",
        "ellipse",
    ),
    *("polyline", "polygon", "marker", "clipPath"),
}
ATTRIBUTES = re.compile(r"on|.*href$|.*script", re.IGNORECASE)


def outcome(config) -> tuple[str, str]:
    """("drawn", svg) or ("refused", sentence); any other exception is a fault."""
    try:
        spec = read(config)
        svg = draw(spec)
        stored(spec)
        memory(spec, 131_072)
    except ConfigError as refusal:
        return "refused", str(refusal)
    return "drawn", svg


def intruders(svg: str) -> list[str]:
    """Elements and attributes that no drawing of ours has."""
    svg.encode("utf-8")
    found = []
    for element in ET.fromstring(svg).iter():
        tag = element.tag.rpartition("}")[2]
        found += [tag] if tag not in TAGS else []
        found += [name for name in element.attrib if ATTRIBUTES.match(name.rpartition("}")[2])]
        found += [value for value in element.attrib.values() if "javascript:" in value]
    return found


def fault(config) -> str | None:
    """What is wrong with the outcome of one broken config, or None."""
    start = time.process_time()
    try:
        kind, text = outcome(config)
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:200]}"
    spent = time.process_time() - start
    if spent > SECONDS:
        return f"{spent:.2f} s"
    if kind == "drawn":
        return str(found) if (found := intruders(text)) else None
    tidy = 20 <= len(text) <= 600 and text.isprintable() and text.rstrip().endswith((".", "?", ")"))
    return None if tidy else f"no clear sentence: {text[:300]!r}"


def chunks(count: int) -> list:
    """All of them; `make check` runs every eighth."""
    return [n if n % 8 == 0 else pytest.param(n, marks=pytest.mark.whole) for n in range(count)]


@pytest.mark.parametrize("chunk", chunks(CHUNKS))
def test_a_broken_config_is_drawn_or_refused_in_one_sentence(chunk):
    """No other exception, no second lost, no element or attribute that came out of a config's string."""
    size = CONFIGS // CHUNKS
    cases = [(f"{chunk}-{i}", SLUGS[(chunk * size + i) % len(SLUGS)]) for i in range(size)]
    faults = [(seed, slug, words) for seed, slug in cases if (words := fault(mutated(catalog.load(slug), seed)))]
    assert faults == []


@pytest.mark.parametrize("chunk", chunks(CHUNKS // 4))
def test_two_crossed_configs_are_drawn_or_refused(chunk):
    """Keys, parts, words, switches and names of one family in another one's config: the same three rules hold."""
    size, faults = CROSSED // (CHUNKS // 4), []
    for i in range(chunk * size, (chunk + 1) * size):
        one, other = SLUGS[i % len(SLUGS)], SLUGS[i * 61 % len(SLUGS)]
        words = fault(crossed(catalog.load(one), catalog.load(other), f"x{i}"))
        faults += [(i, one, other, words)] if words else []
    assert faults == []


def test_both_outcomes_occur():
    """The mutations are neither so mild that all are drawn nor so harsh that none is."""
    kinds = [outcome(mutated(catalog.load(SLUGS[i % len(SLUGS)]), f"0-{i}"))[0] for i in range(200)]
    assert kinds.count("drawn") > 40
    assert kinds.count("refused") > 40


@pytest.mark.parametrize("layers", [10**9, 10**5, -1, 0, 1.5, "61", None, True])
def test_an_impossible_depth_is_refused_politely(layers):
    """num_hidden_layers of a billion costs no time and no memory."""
    config = {**catalog.load("deepseek-ai/DeepSeek-V3"), "num_hidden_layers": layers}
    start = time.process_time()
    kind, text = outcome(config)
    assert time.process_time() - start < SECONDS
    assert (kind, "num_hidden_layers" in text) == ("refused", True)
