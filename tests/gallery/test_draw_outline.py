"""The words of a drawing: exact for eight models, complete for all."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutaway.gallery import catalog
from cutaway.gallery.drawing.figure import figure
from cutaway.gallery.drawing.svg import alt, outline
from cutaway.gallery.drawing.words import shape_words
from cutaway.gallery.sublayers import graph_of

KEPT = Path(__file__).parent / "outlines"
EIGHT = (
    "meta-llama/Meta-Llama-3-8B",
    "openai/gpt-oss-20b",
    "google/gemma-3-27b-it",
    "deepseek-ai/DeepSeek-V3",
    "Qwen/Qwen3-Next-80B-A3B-Instruct",
    "moonshotai/Kimi-Linear-48B-A3B-Instruct",
    "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
    "deepseek-ai/DeepSeek-V4-Flash",
)
DRAWN = [row.slug for row in catalog.drawable_rows()]


def spec_of(slug: str):
    return catalog.spec(slug)


@pytest.mark.parametrize("slug", EIGHT)
def test_outline_is_the_kept_one(slug, request):
    """The outline says, line for line, what was looked at and kept in tests/gallery/outlines."""
    path = KEPT / (slug.replace("/", "__") + ".txt")
    text = outline(spec_of(slug), slug)
    if request.config.getoption("--update-shots"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


def shown(shape: tuple[int, ...], text: str) -> bool:
    """Whether a tensor's shape stands in the outline: in → out for a matrix, a × b for the rest."""
    last = shape[-2:] if len(shape) == 3 and shape[1] != 1 else shape
    ways = [shape_words(shape)]
    if len(last) == 2:
        ways += [f"{last[1]:,} → {last[0]:,}", f"{last[0]:,} → {last[1]:,}"]
    return any(way in text for way in ways)


@pytest.mark.whole
def test_every_tensor_of_an_opened_half_is_shown(verified):
    """Each tensor of each opened mixer and MLP stands in its panel's outline with its shape."""
    checked, missing = 0, []
    for slug in DRAWN:
        spec = spec_of(slug)
        for part, inside in figure(spec).panels:
            text = "\n".join(inside.lines())
            for tensor in graph_of(part, spec.hidden_size).tensors():
                checked += tensor.part != "buffer"
                if tensor.part != "buffer" and not shown(tensor.shape, text):
                    missing.append(f"{slug}: {tensor.name} {tensor.shape}")
    assert missing[:5] == []
    verified("tensors shown in drawings", checked, len(missing), "the model graphs")


@pytest.mark.whole
def test_every_layer_has_a_card():
    """The cards of a drawing hold every layer exactly once."""
    for slug in DRAWN:
        spec = spec_of(slug)
        held = sorted(index for kind in figure(spec).kinds for index in kind.indices)
        assert held == list(range(spec.num_hidden_layers)), slug


@pytest.mark.whole
def test_every_distinct_half_is_opened_or_spoken_for():
    """Each kind of mixer and MLP has a panel of its own class."""
    from cutaway.gallery.sublayers import parts_of

    for slug in DRAWN:
        spec = spec_of(slug)
        opened = {type(part) for part, _ in figure(spec).panels}
        there = {type(p) for layer in spec.layers for h in (layer.mixer, layer.mlp) for p in parts_of(h)}
        assert there == opened, slug


def test_alt_is_one_sentence():
    """The alternative text names layers, mixers and parameters in one sentence."""
    assert alt(spec_of("meta-llama/Meta-Llama-3-8B"), "Llama 3 8B") == (
        "Llama 3 8B: 32 layers, mixers GQA, MLPs dense 14,336, 8.03 B parameters, 7.50 B of them active for each token."
    )


def test_cache_in_the_header_is_what_memory_says(verified):
    """Bytes per token and fixed bytes in the header equal memory.memory for every model."""
    from cutaway.gallery import memory
    from cutaway.gallery.counting.kv_cache import rules_for
    from cutaway.gallery.drawing.layer_kinds import census
    from cutaway.gallery.drawing.totals import cache

    wrong = []
    for slug in DRAWN:
        spec = spec_of(slug)
        said, want = cache(spec, census(spec), rules_for(spec)), memory(spec, 1000)
        if abs(said[0] - want.per_token_bytes) > 1e-6 or said[1] != want.fixed_bytes:
            wrong.append((slug, said, want.per_token_bytes, want.fixed_bytes))
    assert wrong[:3] == []
    verified("cache sizes in the headers of drawings", len(DRAWN), len(wrong), "gallery.memory")
