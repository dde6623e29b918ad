"""explainers/heads: attention executed, counts against the gallery, words, and the widget against the reference."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

import explainers
from explainers import permalink
from gallery import catalog, weights
from gallery.counting.memory import memory
from gallery.halves import parts_of

HERE = Path(__file__).parent
GOLDEN = json.loads((HERE / "golden_attention.json").read_text())
heads = explainers.reference("heads")
forward = explainers.load_file(explainers.HERE / "heads" / "forward.py")
picture = explainers.load_file(explainers.HERE / "heads" / "picture.py")
data = explainers.data("heads")


def at(**state) -> dict:
    """What the page prints in a state."""
    return heads.compute({**heads.STATE, **state}, data)


# ---------------------------------------------------------------- attention, executed


@pytest.mark.parametrize(("query_heads", "kv_heads"), [(8, 8), (8, 4), (8, 2), (8, 1), (6, 3), (12, 4)])
def test_a_group_is_mha_with_repeated_keys_and_values(query_heads, kv_heads):
    """GQA, run head by head as drawn, equals MHA whose key/value matrices repeat each head."""
    rng = np.random.default_rng(query_heads * 100 + kv_heads)
    width, size = 32, 8
    x = rng.standard_normal((10, width))
    w = {n: rng.standard_normal((width, size * (query_heads if n == "q" else kv_heads))) for n in "qkv"}
    repeated = {n: w[n] if n == "q" else forward.repeat_heads(w[n], kv_heads, query_heads // kv_heads) for n in "qkv"}
    assert np.allclose(forward.mha(x, repeated, query_heads), forward.gqa(x, w, query_heads, kv_heads), atol=1e-12)


def test_absorbed_equals_expanded(verified):
    """MLA gives the same output whether it rebuilds every key and value or attends to the latents themselves."""
    checked = wrong = 0
    for seed in range(24):
        rng = np.random.default_rng(seed)
        count, rank, nope, v = (int(n) for n in rng.integers([1, 2, 2, 2], [9, 33, 17, 17]))
        rot, tokens = 2 * int(rng.integers(1, 9)), int(rng.integers(1, 21))
        x, w = forward.random_mla(seed, tokens, 24, count, rank, nope, rot, v)
        expanded, absorbed = forward.mla_expanded(x, w, count), forward.mla_absorbed(x, w, count)
        checked += expanded.size
        wrong += int((~np.isclose(expanded, absorbed, atol=1e-10)).sum())
    verified("heads: MLA absorbed against expanded", checked, wrong, "numpy, two orders of the same products")


def test_mla_keeps_rank_plus_rope_numbers():
    """What the executed MLA caches per token is what the page counts."""
    x, w = forward.random_mla(0, 5, 64, 128, 512, 128, 64, 128)
    c, k_rope = forward.mla_cache(x, w)
    assert at(model="deepseek-ai/DeepSeek-V3")["bytes_per_token"] == 2 * 61 * (c.shape[1] + k_rope.shape[1])


def golden_inputs(name: str) -> dict[str, np.ndarray]:
    return {key: np.array(value) for key, value in GOLDEN[name].items()}


def test_gqa_and_rope_equal_torch_golden_vectors(verified):
    """Rotary position and grouped attention equal what torch computed (golden_attention.json says how)."""
    g = golden_inputs("gqa")
    rotated = forward.rope(g["raw_q"], np.arange(g["raw_q"].shape[1]))
    count, kv = g["q"].shape[0], g["k"].shape[0]
    k, v = (np.repeat(g[n], count // kv, axis=0) for n in "kv")
    out = forward.attend(g["q"], k, v, forward.causal(k.shape[1]), g["q"].shape[-1] ** -0.5)
    wrong = int((~np.isclose(rotated, g["q"], atol=1e-6)).sum() + (~np.isclose(out, g["out"], atol=1e-6)).sum())
    verified("heads: RoPE and GQA against torch", rotated.size + out.size, wrong, GOLDEN["made_with"])


def test_attention_equals_torch_where_there_is_one(verified):
    """With torch installed, grouped attention over random shapes equals scaled_dot_product_attention."""
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(11)
    checked = wrong = 0
    for count, kv, tokens, size in [(8, 8, 5, 4), (8, 2, 17, 16), (12, 3, 9, 8), (64, 8, 33, 32), (5, 1, 2, 6)]:
        q, k, v = (rng.standard_normal((n, tokens, size)) for n in (count, kv, kv))
        repeated = (np.repeat(one, count // kv, axis=0) for one in (k, v))
        mine = forward.attend(q, *repeated, forward.causal(tokens), size**-0.5)
        sent = (torch.from_numpy(one)[None] for one in (q, k, v))
        theirs = torch.nn.functional.scaled_dot_product_attention(*sent, is_causal=True, enable_gqa=True)[0].numpy()
        checked += mine.size
        wrong += int((~np.isclose(mine, theirs, atol=1e-12)).sum())
    verified("heads: GQA against torch, live", checked, wrong, f"torch {torch.__version__}")


def test_the_toy_agrees_only_with_rope_apart():
    """Four tokens by both circuits: equal with RoPE apart, wrong with RoPE inside except at distance zero."""
    apart, inside = at(rope="apart")["toy"], at(rope="inside")["toy"]
    assert (apart["agree"], inside["agree"]) == (True, False)
    assert pytest.approx(max(abs(e) for e in apart["error"]), abs=1e-12) == 0.0
    assert [abs(e) > 0.1 for e in inside["error"]] == [True, True, True, False]
    assert apart["needed"][0] == apart["needed"][3]
    assert inside["needed"][0] != inside["needed"][3]


# ---------------------------------------------------------------- counts


def test_bytes_equal_gallery_memory_for_every_model(verified):
    """At its own stop every model keeps what gallery.memory says, at four contexts."""
    checked = wrong = 0
    for row in data["models"]:
        spec = catalog.spec(row[0])
        for context in (1_000, 8_192, 131_072, 1_048_576):
            checked += 1
            wrong += (
                memory(spec, context).total_bytes != at(model=row[0], context=context, head=0, tp=1)["in_all_bytes"]
            )
    verified("heads: cache bytes of catalogued models", checked, wrong, "gallery.memory")


def attention_of(spec, shape: dict):
    """(layer, mixer) where the model has this shape first."""
    for layer in spec.layers:
        for mixer in parts_of(layer.mixer):
            own = isinstance(mixer, heads.models.s.Attention | heads.models.s.LatentAttention)
            keeps = own and mixer.kv_source is None and not getattr(mixer, "cross", False)
            if keeps and list(heads.models.shape(mixer)) == list(shape.values())[:-1]:
                return layer
    raise AssertionError("no layer has this shape")


NAMED = re.compile(r"\.(k_proj|v_proj\w*|kv_a_proj_with_mqa|kv_a_layernorm|kv_b_proj)\b")
FUSED = re.compile(r"(qkv_proj|query_key_value|W_pack|Wqkv|wqkv|c_attn)\b")


def weights_of_keys(spec, layer, shape: dict) -> int:
    """Numbers in the checkpoint's tensors that make keys and values, one attention's share of a layer."""
    tensors = [w for w in weights(spec) if w.layer == layer.index]
    named = sum(math.prod(w.shape) for w in tensors if NAMED.search(w.name))
    if named:
        owners = {
            w.name.split(".kv_a")[0].split(".k_proj")[0] for w in tensors if re.search(r"(kv_a_proj|k_proj)", w.name)
        }
        return named // len({o for o in owners if NAMED.search(o) is None})
    query = shape["heads"] * shape["k"]
    whole = query + shape["kv"] * (shape["k"] + shape["v"])  # the fused side of the matrix, whichever it is
    fused = [w for w in tensors if FUSED.search(w.name)]
    assert all(whole in w.shape for w in fused)
    return sum(math.prod(w.shape) // whole * (whole - query) for w in fused)


def test_weights_of_keys_and_values_equal_the_checkpoint(verified):
    """k and v (or the latent's way down and up) hold what the tensors of gallery.weights hold, for every shape."""
    checked, wrong = 0, []
    for row in data["models"]:
        spec, model = catalog.spec(row[0]), heads.find({"model": row[0]}, data)
        for i, shape in enumerate(model["shapes"]):
            layer = attention_of(spec, shape)
            got = at(model=row[0], shape=i, head=0, tp=1)["weights"]
            checked += 1
            if got != weights_of_keys(spec, layer, shape):
                wrong.append((row[0], i, got, weights_of_keys(spec, layer, shape)))
    print(wrong)
    verified("heads: weights of keys and values", checked, len(wrong), "gallery.weights")


PER_TOKEN = [  # ../shared/oracle/kv_table.md: models whose whole cache grows, with the bytes measured or derived there
    ("meta-llama/Llama-3.1-8B", 131_072),
    ("meta-llama/Llama-3.1-70B", 327_680),
    ("deepseek-ai/DeepSeek-V3", 70_272),
    ("MiniMaxAI/MiniMax-M2.5", 253_952),
]


@pytest.mark.parametrize(("slug", "expected"), PER_TOKEN)
def test_known_bytes_per_token(slug, expected):
    """Cache bytes per token of models that others have measured."""
    assert expected == at(model=slug)["bytes_per_token"]


def test_hypothetical_stops_say_how_they_are_computed():
    """Every stop but the model's own begins with "What if" and names the numbers it stands on."""
    llama = at(kv=0)
    assert llama["bytes_per_token"] == 80 * 2 * (4 * 128 + 128 // 2)
    assert "4 × 128 = 512" in llama["words"]["made"]
    deep = at(model="deepseek-ai/DeepSeek-V3", kv=128)
    assert deep["bytes_per_token"] == 61 * 2 * 128 * (128 + 128)
    assert deep["words"]["made"].startswith("What if:")
    assert at()["words"]["made"] == "Llama 3.1 70B is built this way."


def test_flops_of_deepseek_v3():
    """Absorbed costs 278,528 FLOPs per cached token, expanded 81,920 (6.2 of the facts, run against transformers)."""
    ways = {way["way"]: way for way in at(model="deepseek-ai/DeepSeek-V3")["mla"]["ways"]}
    assert ways["absorbed"]["flops"] == 278_528
    assert ways["expanded, kept"]["flops"] == 81_920
    assert ways["expanded, rebuilt each step"]["flops"] == 81_920 + 2 * 512 * 128 * 256


# ---------------------------------------------------------------- tensor parallel


def deal(heads_: int, kv: int, tp: int) -> list[set[int]]:
    """Second route: hand out query heads in order, and see which key/value heads each rank must then hold."""
    each = heads_ // tp
    return [{h * kv // heads_ for h in range(r * each, (r + 1) * each)} for r in range(tp)]


@pytest.mark.parametrize(("count", "kv"), [(64, 64), (64, 8), (64, 4), (64, 1), (48, 8), (40, 10), (28, 4), (71, 1)])
def test_tiles_are_what_the_query_heads_of_a_rank_read(count, kv):
    """At every legal number of ranks each rank holds exactly the key/value heads that its query heads read."""
    shape = {"heads": count, "kv": kv}
    for tp in heads.c.legal_ranks(count, kv):
        spread = heads.c.spread(shape, kv, tp, 1000 * kv)
        assert deal(count, kv, tp) == [set(tiles) for tiles in spread["tiles"]]
        held = sum(len(tiles) for tiles in spread["tiles"])
        assert held / kv == spread["waste"]
        assert held - kv == sum(len(t) for t, copy in zip(spread["tiles"], spread["copy"], strict=True) if copy)


@pytest.mark.parametrize(("tp", "waste"), [(1, 1), (8, 1), (16, 2), (64, 8)])
def test_key_value_heads_are_copied_once_they_run_out(tp, waste):
    """Eight key/value heads: nothing is wasted up to 8 ranks, then max(1, t / K)."""
    assert waste == at(tp=tp)["tp"]["waste"]


def test_every_rank_keeps_the_whole_latent():
    """One latent serves all heads, so t ranks hold t copies."""
    assert at(model="deepseek-ai/DeepSeek-V3", tp=16)["tp"]["waste"] == 16


RANKS = "Tensor parallel takes a whole number of ranks from 1 to 64; legal here: 1, 2, 4, 8, 16, 32, 64."


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"tp": 7}, "7 ranks cannot share 64 query heads evenly; legal here: 1, 2, 4, 8, 16, 32, 64."),
        ({"tp": 65}, RANKS),
        (
            {"tp": True},
            "Tensor parallel takes a whole number of ranks from 1 to 64; legal here: 1, 2, 4, 8, 16, 32, 64.",
        ),
        ({"head": 64}, "This model has 64 query heads: a head from 0 to 63."),
        ({"model": "x"}, "No model here is called “x”; choose one from the list."),
    ],
)
def test_an_illegal_state_gets_the_sentence_that_says_what_is_legal(change, sentence):
    """check() names what is legal."""
    assert sentence == heads.check({**heads.STATE, **change}, data)


def test_split_that_neither_divides_nor_copies_is_refused():
    """12 ranks share 48 query heads, but 8 key/value heads neither split over them nor copy whole."""
    state = {**heads.STATE, "model": "MiniMaxAI/MiniMax-M2.5", "tp": 12}
    expected = (
        "12 ranks can neither split 8 key/value heads evenly nor hold whole copies of them; "
        "legal here: 1, 2, 4, 8, 16, 24, 48."
    )
    assert expected == heads.check(state, data)


# ---------------------------------------------------------------- what the page promises


def test_a_model_alone_in_a_link_is_enough(verified):
    """`?model=X` opens every model: what the link does not set moves to the nearest legal value."""
    check, settle = explainers.checker("heads"), explainers.settler("heads")
    wrong = []
    for row in data["models"]:
        state, says = permalink.read(heads.STATE, f"?model={row[0]}", check, settle)
        wrong += [(row[0], says)] if says or state["model"] != row[0] or check(state) else []
    assert wrong == []
    verified("heads: models opened by name alone", len(data["models"]), 0, "check")


def test_what_a_link_sets_is_never_moved():
    """An illegal number that the link itself sets is refused in words, not bent."""
    check, settle = explainers.checker("heads"), explainers.settler("heads")
    assert "7 ranks cannot share" in permalink.read(heads.STATE, "?tp=7", check, settle)[1][0]
    assert (
        "a head from 0 to 15"
        in permalink.read(heads.STATE, "?model=allenai/OLMoE-1B-7B-0924&head=63", check, settle)[1][0]
    )
    assert "No model here" in permalink.read(heads.STATE, "?model=no/such", check, settle)[1][0]


def test_rope_is_drawn_only_where_it_turns():
    """Kimi Linear and Kimi K3 keep 64 numbers beside the latent that no RoPE turns; DeepSeek's are turned."""
    turned = {slug: at(model=slug, head=0, tp=1)["mla"]["turned"] for slug in LATENT}
    assert turned == LATENT


LATENT = {
    "moonshotai/Kimi-Linear-48B-A3B-Instruct": False,
    "moonshotai/Kimi-K3": False,
    "deepseek-ai/DeepSeek-V3": True,
    "meta-llama/Llama-3.1-70B": True,  # the latent of the slider's last stop
}
REST = [
    ("deepseek-ai/DeepSeek-V3.2", r"The indexer’s keys in these layers add 2\.0 GB: 11\.3 GB in all\."),
    ("tiiuae/Falcon-H1-7B-Instruct", r"The fixed states in these layers add 139\.7 MB: 6\.0 GB in all\."),
    ("google/gemma-4-31B-it", r"What its other layers keep adds 838\.9 MB: 11\.6 GB in all\."),
    (
        "Zyphra/Zamba2-1.2B",
        r"The fixed states in these layers add [\d.]+ MB, what its other layers keep [\d.]+ MB: .* in all\.",
    ),
]


@pytest.mark.parametrize(("slug", "says"), REST)
def test_what_else_is_kept_is_said_of_the_layers_that_keep_it(slug, says):
    """States and indexer keys beside attention are not “its other layers”."""
    assert re.fullmatch(says, at(model=slug, head=0, tp=1)["words"]["rest"])


def test_what_is_kept_beside_attention_is_told_apart_only_where_all_layers_are_alike():
    """No model has both several shapes of attention and an indexer or a state beside one of them."""
    both = [m["slug"] for m in MODELS if len(m["shapes"]) > 1 and (m["index_bytes"] or m["beside_bytes"])]
    assert both == []


MODELS = [heads.find({"model": row[0]}, data) for row in data["models"]]


def test_no_stop_compares_heads_with_numbers():
    """GQA 8 counts heads; a latent has none, and says so by having no number."""
    assert [stop["label"] for stop in at()["stops"]][-3:] == ["GQA 2", "MQA", "MLA"]


def test_absorbing_has_a_price_per_step(monkeypatch):
    """Folding W_uk into the query and W_uv behind the sum costs, once a step, what the executed products cost."""
    counted = []
    real = np.einsum

    def einsum(subscripts: str, *arrays: np.ndarray) -> np.ndarray:
        sizes = {}
        for names, array in zip(subscripts.split("->")[0].split(","), arrays, strict=True):
            sizes.update(zip(names, array.shape, strict=True))
        counted.append(2 * math.prod(sizes.values()))
        return real(subscripts, *arrays)

    x, w = forward.random_mla(0, 1, 64, 16, 32, 24, 8, 20)  # one token: the step's own share of every product
    monkeypatch.setattr(forward.np, "einsum", einsum)
    forward.mla_absorbed(x, w, 16)
    shape = {"latent": 1, "heads": 16, "k": 24, "v": 20, "rank": 32, "rope": 8, "turned": 1}
    absorbed, rebuilt, kept = heads.c.mla(shape)["ways"]
    assert absorbed["step_flops"] == sum(counted)
    assert (rebuilt["step_flops"], kept["step_flops"]) == (0, sum(counted))


def test_a_variant_is_listed_where_its_attention_differs():
    """Mistral 7B v0.2 lost the window of v0.1, so it stands in the list; packings of a model do not."""
    listed = {row[0] for row in data["models"]}
    assert {"mistralai/Mistral-7B-v0.1", "mistralai/Mistral-7B-Instruct-v0.2"} <= listed
    assert "nvidia/MiniMax-M2.5-NVFP4" not in listed


# ---------------------------------------------------------------- JavaScript (compute is in test_pattern.py)


def numbers(value) -> list[float]:
    """Every number of a JSON value, in order of its keys."""
    if isinstance(value, dict):
        return [n for key in sorted(value) for n in numbers(value[key])]
    return [n for one in value for n in numbers(one)] if isinstance(value, list) else [value]


def test_the_widget_draws_the_same_picture(blank):
    """Where heads and fans stand is the same in both languages, at three widths."""
    page = blank(explainers.module("heads"), "\nexport { fan };")
    for count, kv in [(64, 8), (64, 64), (128, 0), (128, 128), (71, 1), (48, 3), (4, 4)]:
        for width in (310, 620, 950):
            mine, theirs = picture.fan(count, kv, width), page.evaluate("(a) => loaded.fan(...a)", [count, kv, width])
            assert numbers(mine) == pytest.approx(numbers(theirs))
