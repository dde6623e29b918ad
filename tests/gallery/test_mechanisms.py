"""Words for what a spec does, from one table, and where they stand on the drawing."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from cutaway.gallery import catalog, read
from cutaway.gallery import spec as s
from cutaway.gallery.comparing.finding import Seen
from cutaway.gallery.comparing.mechanism_rows.row import PARTS
from cutaway.gallery.comparing.mechanisms import BIT, BY_KEY, MECHANISMS, bits, find_mechanism, mechanisms
from cutaway.gallery.comparing.text.cell import position
from cutaway.gallery.comparing.text.mechanism import name_mechanism, say_mechanism
from cutaway.gallery.drawing import wiring_words
from cutaway.gallery.drawing.callouts import WHOLE, places
from cutaway.gallery.drawing.figure import figure
from cutaway.gallery.drawing.layout import place
from cutaway.gallery.drawing.svg import in_page
from cutaway.gallery.residuals.early_experts import EarlyExperts
from cutaway.gallery.residuals.hyper_connections import HyperConnections
from cutaway.gallery.residuals.shortcut import Shortcut
from tests.gallery import drawn_graph
from tests.gallery.comparing import FULL, MLP, WINDOW, model, structures
from tests.gallery.test_drawn_is_run import golden

NEXT = "Qwen/Qwen3-Next-80B-A3B-Instruct"


def test_every_row_is_whole():
    """Keys are unique and fit an address; each row has a part, words and a source."""
    assert len(BY_KEY) == len(MECHANISMS) > 60
    for row in MECHANISMS:
        assert re.fullmatch(r"[a-z0-9-]+", row.key) and row.part in PARTS, row.key
        assert row.short and row.word and row.head and row.says and row.source, row.key
        assert row.says.endswith("."), row.key
        assert re.fullmatch(r"[^{}]+\.", row.meaning), row.key
    assert [row.part for row in MECHANISMS] == sorted((row.part for row in MECHANISMS), key=PARTS.index)


def test_a_set_is_a_number():
    """One bit per row."""
    assert sorted(BIT.values()) == [1 << place for place in range(len(MECHANISMS))]
    assert bits(("mha", "mla")) == BIT["mha"] | BIT["mla"]


@pytest.mark.parametrize(("slug", "name", "head", "says"), [
    ("DeepSeek-V2", "two shared experts", "Two shared experts", "in 59 of 60 layers: every token uses them."),
    ("DeepSeek-V3", "a shared expert", "A shared expert", "in 58 of 61 layers: every token uses it."),
])  # fmt: skip
def test_shared_experts_are_as_many_as_the_model_has(slug, name, head, says):
    """n_shared_experts is 2 in DeepSeek V2 and 1 in V3; without a model the word is the glossary's."""
    spec = catalog.spec(f"deepseek-ai/{slug}")
    assert (name, (head, says)) == (name_mechanism(spec, "shared-expert"), say_mechanism(spec, "shared-expert"))
    assert name_mechanism(None, "shared-expert") == "a shared expert"
    assert name_mechanism(spec, "mla") == BY_KEY["mla"].word


def test_all_that_a_model_has_can_be_said():
    """Every sentence of every model is filled in, without a hole or a stray brace."""
    for slug, spec in structures().items():
        keys = mechanisms(spec)
        assert len(keys) >= 3 and len(set(keys)) == len(keys), slug
        for key in keys:
            head, says = say_mechanism(spec, key)
            assert head and says.endswith("."), (slug, key)
            assert not re.search(r"[{}]|None|  | 0 of | of 0 |\b1 layers", head + says), (slug, key, head, says)


def test_qwen3_next_has_these():
    """The list behind "all its mechanisms"."""
    assert mechanisms(catalog.spec(NEXT)) == (
        "gqa", "gated-deltanet", "output-gate", "swiglu", "moe", "shared-expert", "shared-gate", "rmsnorm", "qk-norm",
        "rope", "partial-rope", "mtp",
    )  # fmt: skip


def test_a_table_of_positions_is_claimed_where_there_is_one():
    """Inkling's positions are biases by distance: nothing is added to its embedding, and no page says so."""
    spec = catalog.spec("thinkingmachines/Inkling")
    keys = mechanisms(spec)
    assert {"relative", "temperature"} <= set(keys) and not {"learned-position", "no-position", "nope"} & set(keys)
    assert ("RoPE", "no RoPE: a learned bias per distance") in wiring_words.rows(spec)
    assert position(spec) == "a learned bias by distance"
    assert "learned-position" in mechanisms(catalog.spec("openai-community/gpt2-xl"))


def test_a_word_alone_is_no_table_of_positions():
    """Sines and cosines, or a key that only names learned positions, make no stored vector for each place."""
    golds = dict(golden())
    for name in ("xglm", "cpmant", "ctrl", "inkling_text"):
        assert "learned-position" not in mechanisms(golds[name]), name
    said = read({**catalog.load("meta-llama/Meta-Llama-3-8B"), "position_embedding_type": "learned"})
    assert "learned-position" not in mechanisms(said)


SAID = [
    (NEXT, "gated-deltanet", "Gated DeltaNet in 36 of 48 layers: each value head updates one 128 × 128 state instead "
     "of adding keys and values to a cache."),
    (NEXT, "output-gate", "A gate on attention's output multiplies every head's output by σ(gate), computed by extra "
     "rows of q_proj."),
    (NEXT, "shared-gate", "A gate on the shared expert scales the output of that expert; a vector of 2,048 "
     "weights computes it."),
    (NEXT, "partial-rope", "RoPE on 64 of 256 dimensions leaves the other 192 unrotated."),
    (NEXT, "mtp", "One multi-token-prediction layer with 1.65 B parameters, in addition to the 48 layers."),
    ("meta-models/Muse-Glimmer-30B", "output-gate", "A gate on attention's output multiplies every head's output by "
     "σ(gate), computed by its own matrix."),
    ("deepseek-ai/DeepSeek-V4-Flash", "hca", "Heavily compressed attention in 20 of 43 layers: one cache entry per 128 "
     "tokens; a query attends to all entries."),
    ("meituan-longcat/LongCat-Flash-Chat", "shortcut-experts", "Shortcut-connected experts in every layer: they read "
     "the input of the first MLP, and their output is added after the second MLP."),
    ("deepseek-ai/DeepSeek-V4-Flash", "k-is-v", "Shared keys and values (K = V) in every layer: one cached vector is "
     "both key and value for all heads; since RoPE rotated it, the output is rotated back."),
    ("google/gemma-3-27b-it", "two-bases", "Two RoPE bases differ by reach: 10,000 in 52 layers with windows, "
     "1,000,000 in 10 layers that see the whole text."),
    ("google/gemma-3-4b-it", "two-bases", "Two RoPE bases differ by reach: one in 29 layers with windows, another in 5 "
     "layers that see the whole text."),  # its file does not say the base of full layers, the class does
    ("Qwen/Qwen2-VL-7B-Instruct", "m-rope", "M-RoPE in every layer: an image token's time, row and column rotate 16, "
     "24 and 24 pairs of each head."),
    ("Qwen/Qwen3-VL-4B-Instruct", "deepstack", "DeepStack adds features of layers 5, 11 and 17 of the vision tower to "
     "the stream after the first 3 layers, at image tokens."),
    ("google/gemma-2-2b", "softcap", "Soft-capped scores in every layer: scores become 50 · tanh(score / 50)."),
]  # fmt: skip


@pytest.mark.parametrize(("slug", "key", "sentence"), SAID)
def test_a_sentence_carries_the_models_own_values(slug, key, sentence):
    """Layers, sizes and names are those of the part that has the mechanism."""
    assert " ".join(say_mechanism(catalog.spec(slug), key)) == sentence


MOE = s.MoE(8, 2, 64)
ONE = [  # (a spec, a mechanism that it has, another that it lacks)
    (model(FULL), "gqa", "mha"),
    (model(replace(FULL, num_key_value_heads=8)), "mha", "gqa"),
    (model(replace(FULL, num_key_value_heads=1)), "mqa", "gqa"),
    (model(replace(FULL, num_attention_heads=1, num_key_value_heads=1)), "swiglu", "mqa"),
    (model(WINDOW), "window", "window-mix"),
    (model(WINDOW, FULL), "window-mix", "chunks"),
    (replace(model(WINDOW), max_position_embeddings=128), "gqa", "window"),  # as long as the text: no window
    (replace(model(WINDOW), max_position_embeddings=129), "window", "window-mix"),
    (model(replace(FULL, attention_chunk_size=64)), "chunks", "window"),
    (model(replace(FULL, gate="headwise")), "headwise-gate", "output-gate"),
    (model(replace(FULL, gate="separate")), "output-gate", "headwise-gate"),
    (model(replace(FULL, indexer=s.Indexer(2, 8, 4))), "dsa", "shared-indexer"),
    (model(replace(FULL, indexer=s.Indexer(2, 8, 4, shared=True))), "shared-indexer", "dsa"),
    (model(replace(FULL, indexer=s.Indexer(2, 8, 4, style="minimax_m3"))), "block-indexer", "dsa"),
    (model(FULL, replace(FULL, rope=s.Rope(64))), "nope", "no-position"),
    (model(replace(WINDOW, rope=s.Rope(64)), replace(FULL, rope=s.Rope(64, 1e6))), "two-bases", "nope"),
    (model(replace(WINDOW, rope=s.Rope(64)), replace(FULL, rope=s.Rope(64))), "window-mix", "two-bases"),
    (model(replace(FULL, rope=s.Rope(64)), replace(FULL, rope=s.Rope(64, 1e6))), "rope", "two-bases"),
    (replace(model(FULL), deepstack=(1, 2)), "deepstack", "m-rope"),
    (replace(model(replace(FULL, rope=s.Rope(64))), mrope=(8, 12, 12)), "rope", "m-rope"),  # for text alone
    (model(FULL), "no-position", "nope"),
    (model(replace(FULL, position="alibi")), "alibi", "no-position"),
    (model(replace(FULL, rope=s.Rope(32))), "partial-rope", "no-position"),
    (model(replace(FULL, rope=s.Rope(64))), "rope", "partial-rope"),
    (model(replace(FULL, rope=s.Rope(32, kind="proportional"))), "proportional-rope", "partial-rope"),
    (model(replace(FULL, cross=True)), "cross", "gqa"),
    (model(FULL, mlp=replace(MLP, gated=False, hidden_act="relu2")), "relu2", "swiglu"),
    (model(FULL, mlp=replace(MLP, hidden_act="gelu_pytorch_tanh")), "geglu", "gelu"),
    (model(FULL, mlp=replace(MLP, gated=False, hidden_act="gelu")), "gelu", "geglu"),
    (model(FULL, mlp=MOE), "moe", "shared-expert"),
    (model(FULL, mlp=replace(MOE, n_group=8, topk_group=4)), "groups", "sigmoid-router"),
    (model(FULL, mlp=replace(MOE, n_group=8, topk_group=8)), "moe", "groups"),
    (model(FULL, mlp=s.Combined((MLP, MOE), "parallel")), "dense-beside", "both-mixers"),
    (model(s.Combined((FULL, s.ShortConv(8, 3)), "parallel")), "both-mixers", "double-layer"),
    (model(s.Combined((FULL, FULL), "serial")), "double-layer", "both-mixers"),
    (model(FULL, None), "lone-halves", "parallel"),
    (model(FULL, loops=2), "loops", "mtp"),
    (model(FULL, logits_softcap=30.0), "logit-softcap", "softcap"),
    (model(FULL, residual=s.Plain(0.5)), "residual-scale", "hyper-connections"),
    (model(FULL, residual=HyperConnections(4)), "hyper-connections", "residual-scale"),
    (model(FULL, residual=Shortcut()), "shortcut-experts", "early-experts"),
    (model(FULL, residual=EarlyExperts()), "early-experts", "shortcut-experts"),
    (model(replace(FULL, k_eq_v=True)), "k-is-v", "mqa"),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "has", "lacks"), ONE)
def test_one_change_is_one_mechanism(spec, has, lacks):
    """Each row looks at its own field and no other."""
    keys = mechanisms(spec)
    assert has in keys and lacks not in keys


def test_places_say_which_layers():
    """What most layers have comes first."""
    hits = find_mechanism(catalog.spec("google/gemma-3-27b-it"), "gqa")
    assert [len(hit.layers) for hit in hits] == [52, 10]


def drawn(spec) -> dict[str, drawn_graph.Drawn]:
    """Every picture of a graph in the wide drawing."""
    page = place(figure(spec), "wide")
    return dict(drawn_graph.read_svg(in_page(page, "", "wide")))


def strange(spec, pictures, key: str, kind: str, name: str) -> bool:
    """Whether a place is nowhere on the drawing."""
    scope, _, node = name.partition(" ")
    if kind == "tower":
        return scope not in WHOLE and (int(scope) >= len(spec.layers) or node not in ("mixer", "mlp", "layer"))
    return scope not in pictures or bool(node and node not in pictures[scope].nodes)


def misplaced(slugs) -> list[tuple]:
    """Places that the drawings of these models do not have."""
    out = []
    for slug in slugs:
        spec = structures()[slug]
        pictures, fig = drawn(spec), figure(spec)
        for key in mechanisms(spec):
            where = places(spec, key, fig)
            assert where, (slug, key)
            out += [(slug, key, *one) for one in where if strange(spec, pictures, key, *one)]
    return out


def test_marks_have_a_place_on_the_drawing():
    """Tower cell, card and panel of every mechanism are named in the drawing, here for a model of each sort."""
    assert misplaced(PLACED) == []


PLACED = (NEXT, "deepseek-ai/DeepSeek-V4-Flash", "google/gemma-3n-E4B", "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
          "nvidia/Llama-3_3-Nemotron-Super-49B-v1", "meituan-longcat/LongCat-Flash-Chat", "openai-community/gpt2-xl",
          "tiiuae/Falcon-H1-7B-Instruct", "ByteDance/Ouro-1.4B", "moonshotai/Kimi-K3",
          "Snowflake/snowflake-arctic-instruct")  # fmt: skip


@pytest.mark.whole
def test_marks_of_all_models_have_a_place():
    """The same for every drawn structure."""
    assert misplaced(structures()) == []


@pytest.mark.whole
def test_every_family_can_be_said_and_marked():
    """Every tiny config of the forward oracle: mechanisms, whole sentences, places that its drawing has."""
    wrong, have = [], set()
    for name, spec in golden():
        pictures, fig, keys = drawn(spec), figure(spec), mechanisms(spec)
        have |= set(keys)
        for key in keys:
            wrong += [(name, key, *one) for one in places(spec, key, fig) if strange(spec, pictures, key, *one)]
            wrong += [(name, key)] if re.search(r"[{}]|None|  ", "".join(say_mechanism(spec, key))) else []
        assert keys, name
    assert wrong == []
    catalogued = {"rwkv7", "one-matrix", "situ", "early-experts", "m-rope", "deepstack"}  # these see text alone
    assert {row.key for row in MECHANISMS} - have <= catalogued


def test_where_qwen3_nexts_marks_stand():
    """As in the picture: cells of the tower from the top, the box, the opened half; MTP beside the tower."""
    spec = catalog.spec(NEXT)
    assert places(spec, "gated-deltanet")[0] == ("tower", "46 mixer")
    assert places(spec, "gated-deltanet")[36:] == (("card", "layer0 mixer.out_proj"), ("panel", "layer0.mixer"))
    assert [name for kind, name in places(spec, "output-gate") if kind == "tower"][-1] == "3 mixer"
    assert places(spec, "output-gate")[12:] == (("card", "layer3 mixer.o_proj"), ("panel", "layer3.mixer"))
    assert places(spec, "shared-gate")[0] == ("tower", "47 mlp")
    assert places(spec, "rmsnorm")[0] == ("tower", "47 layer")
    assert places(spec, "mtp") == (("tower", "mtp"),)


@pytest.mark.parametrize(
    ("slug", "has"), [("zai-org/GLM-4.5", True), ("inclusionAI/Ling-2.6-1T", True), ("Zyphra/ZAYA1-8B", True),
                      ("deepseek-ai/DeepSeek-V3", False), ("deepseek-ai/DeepSeek-V4-Flash", False)],
)  # fmt: skip
def test_partial_rope_is_no_latents_rotated_part(slug, has):
    """Heads of attention, convolved or lightning, may turn in part; in a latent the rotated part is apart by design."""
    assert ("partial-rope" in mechanisms(catalog.spec(slug))) is has


def test_parts_of_a_half_have_places():
    """Falcon-H1's attention and Mamba-2 are the first and second part of a mixer; a part alone is the whole of it."""
    seen = Seen(catalog.spec("tiiuae/Falcon-H1-7B-Instruct"))
    assert [(type(hit.part).__name__, hit.at) for hit in seen.mixers] == [("Attention", 0), ("Mamba2", 1)]
    assert {hit.at for hit in seen.mlps} == {-1}
