"""explainers/masks: masks and reach executed, bytes against the gallery, claims, the widget against the reference."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from cutaway import explainers
from cutaway.explainers import fmt
from cutaway.gallery import catalog
from cutaway.gallery.counting.memory import memory
from tests.explainers import expected

GOLDEN = json.loads(Path(__file__).with_name("golden_attention.json").read_text())
masks = explainers.reference("masks")
forward, stacks, claims = masks.forward, masks.stacks, masks.claims
data = explainers.data("masks")
LETTERS = masks.models.LETTERS
SCOUT = "meta-llama/Llama-4-Scout-17B-16E"
told = explainers.load("masks")


def at(**state) -> dict:
    """What the page prints in a state."""
    return masks.compute({**masks.STATE, **state}, data)


def golden(name: str) -> dict[str, np.ndarray]:
    return {key: np.array(value) for key, value in GOLDEN[name].items()}


# ---------------------------------------------------------------- masks, executed


def test_windows_and_chunks_equal_torch_golden_vectors(verified):
    """Attention under sliding windows and chunks equals what torch computed from its own masks."""
    g = golden("windows")
    checked = wrong = 0
    for kind in ("window", "chunked"):
        for span in (1, 3, 5):
            out = forward.attend(g["q"], g["k"], g["v"], forward.mask(kind, 12, span))
            checked += out.size
            wrong += int((~np.isclose(out, g[f"{kind}_{span}"], atol=1e-6)).sum())
    verified("masks: sliding-window and chunked attention", checked, wrong, GOLDEN["made_with"])


def test_a_sink_takes_its_share_as_in_torch(verified):
    """A sink logit in the softmax equals one more key with that logit and a value of zero, as torch computed it."""
    g = golden("sinks")
    out = forward.attend(g["q"], g["k"], g["v"], forward.mask("causal", 7), g["logit"])
    wrong = int((~np.isclose(out, g["out"], atol=1e-6)).sum())
    verified("masks: softmax with an attention sink", out.size, wrong, GOLDEN["made_with"])


def test_softmax_with_a_sink_sums_to_less_than_one():
    """What the sink takes is missing from the weights; without a sink nothing is."""
    scores = np.zeros((1, 1, 12))
    assert forward.softmax_with_sink(scores, None).sum() == pytest.approx(1)
    with_sink = forward.softmax_with_sink(scores, np.array([2.0]))
    assert with_sink.sum() == pytest.approx(12 / (12 + math.e**2))
    shown = at(sink=True, logit=2.0, span=12)["mask"]
    assert (shown["weight"], shown["lost"]) == (pytest.approx(with_sink[0, 0, 0]), pytest.approx(1 - with_sink.sum()))


@pytest.mark.parametrize("window", [1, 4, 7, 20])
def test_a_ring_of_window_slots_decodes_a_sliding_window(window):
    """A cache that holds `sliding_window` tokens gives the same outputs as the mask over everything."""
    rng = np.random.default_rng(window)
    q, k, v = (rng.standard_normal((2, 15, 4)) for _ in range(3))
    masked = forward.attend(q, k, v, forward.mask("window", 15, window))
    assert np.allclose(masked, forward.decode_window(q, k, v, window), atol=1e-12)


def test_first_tokens_stay_visible():
    """StreamingLLM's mask is the window plus the first tokens, never the future."""
    seen = forward.mask("window", 10, 3, first=2)
    assert np.flatnonzero(seen[7]).tolist() == [0, 1, 5, 6, 7]
    assert not np.triu(seen, 1).any()


# ---------------------------------------------------------------- who can know about whom


def small(rng: np.random.Generator, tokens: int) -> dict:
    """A random stack of windows, chunks, full layers, states, convolutions and layers that mix nothing."""
    letters = "".join(rng.choice(list("WWCFLKN"), size=rng.integers(1, 9)))
    kinds = [[letter, int(rng.integers(1, 7)), 0, 0, []] for letter in letters]
    return {"kinds": kinds, "stack": LETTERS[: len(kinds)], "loops": 1, "title": "small"}


def matrix(kind: list, tokens: int) -> np.ndarray:
    """One layer as a boolean matrix, from the definition of its kind."""
    letter, span, *_ = kind
    if letter == "N":
        return np.eye(tokens, dtype=bool)
    words = {"W": "window", "K": "window", "C": "chunked"}
    return forward.mask(words.get(letter, "causal"), tokens, span)


def test_intervals_equal_boolean_propagation(verified):
    """On 400 random small stacks the interval of every layer and token equals the boolean matrices' product."""
    rng = np.random.default_rng(7)
    checked = wrong = 0
    for _ in range(400):
        tokens = int(rng.integers(1, 25))
        model = small(rng, tokens)
        known = forward.knows([matrix(kind, tokens) for kind in model["kinds"]])
        for token in range(tokens):
            first = stacks.first_known(model, token)
            for layer, start in enumerate(first):
                expected = np.arange(tokens)
                expected = (start <= expected) & (expected <= token)
                checked += 1
                wrong += not np.array_equal(expected, known[layer][token])
    verified(
        "masks: visible tokens, computed from intervals",
        checked,
        wrong,
        "boolean masks propagated through the layers in numpy",
    )


def test_boolean_propagation_is_what_attention_carries():
    """A token can be known exactly where changing it changes the output of random attention layers."""
    rng = np.random.default_rng(3)
    layers = [forward.mask("window", 9, 3), forward.mask("chunked", 9, 4), forward.mask("window", 9, 2)]
    weights = [rng.standard_normal((3, 6, 6)) / 3 for _ in layers]

    def run(x: np.ndarray) -> np.ndarray:
        for seen, (wq, wk, wv) in zip(layers, weights, strict=True):
            x = x + forward.attend((x @ wq)[None], (x @ wk)[None], (x @ wv)[None], seen)[0]
        return x

    x = rng.standard_normal((9, 6))
    base = run(x)
    for token in range(9):
        moved = x.copy()
        moved[token] += 1
        changed = np.abs(run(moved) - base).max(axis=1) > 1e-12
        assert changed.tolist() == forward.knows(layers)[-1][:, token].tolist()


REACH = [  # slug, layer, context, tokens known: W layers of a window add W - 1 each
    ("mistralai/Mistral-7B-v0.1", 31, 131_072, 32 * 4_095 + 1),
    ("google/gemma-3-27b-it", 4, 131_072, 5 * 1_023 + 1),
    ("google/gemma-3-27b-it", 5, 131_072, 131_072),
    ("meta-llama/Llama-4-Scout-17B-16E", 2, 131_072, 8_192),
    ("meta-llama/Llama-4-Scout-17B-16E", 3, 131_072, 131_072),
    ("openai/gpt-oss-120b", 0, 131_072, 128),
]


@pytest.mark.parametrize(("slug", "layer", "context", "expected"), REACH)
def test_how_far_back_layers_of_real_models_know(slug, layer, context, expected):
    """The reach of a layer at the last token of a context."""
    assert expected == context - at(model=slug, layer=layer, context=context)["stack"]["first"][layer]


def test_a_chunk_never_leaves_its_wall():
    """Stacked chunks know no more than one; stacked windows of 12 gain 11 tokens a layer."""
    for depth in (1, 5, 12):
        assert at(kind="chunked", depth=depth)["mask"]["known"] == at(kind="chunked")["mask"]["keys"]
    assert [at(depth=d, query=47)["mask"]["known"] for d in (1, 2, 3, 4)] == [12, 23, 34, 45]


# ---------------------------------------------------------------- stacks of real models

MIXES = [
    ("google/gemma-3-27b-it", "52 × window of 1,024, 10 × full"),
    ("openai/gpt-oss-120b", "18 × window of 128, 18 × full"),
    ("XiaomiMiMo/MiMo-V2-Flash", "39 × window of 128, 9 × full"),
    ("MiniMaxAI/MiniMax-M2", "62 × full"),
    ("meta-llama/Llama-4-Scout-17B-16E", "36 × chunks of 8,192, 12 × full without RoPE"),
    ("mistralai/Mistral-7B-v0.1", "32 × window of 4,096"),
]


@pytest.mark.parametrize(("slug", "expected"), MIXES)
def test_local_to_global_mixes_come_from_the_configs(slug, expected):
    """Each named stack is what its config says."""
    assert expected == at(model=slug, layer=0)["stack"]["mix"]


@pytest.mark.whole
def test_bytes_equal_gallery_memory_for_every_stack(verified):
    """Every stack keeps what gallery.memory says, at six contexts."""
    checked = wrong = 0
    for row in data["models"]:
        spec = catalog.spec(row[0])
        for context in (1, 100, 1_000, 8_192, 131_072, 1_048_576):
            checked += 1
            wrong += memory(spec, context).total_bytes != at(model=row[0], layer=0, context=context)["stack"]["bytes"]
    verified("masks: cache size of layer stacks", checked, wrong, "gallery.memory")


def test_bytes_of_gemma_3_by_hand():
    """52 windows and 10 full layers of 16 key/value heads, 128 wide, in BF16."""
    one = 2 * 16 * 128 * 2
    stack = at(model="google/gemma-3-27b-it", context=131_072)["stack"]
    assert stack["bytes"] == one * (10 * 131_072 + 52 * 1_024)
    assert stack["bytes_full"] == one * 62 * 131_072
    assert (stack["growing"], stack["growing_full"]) == (10 * one, 62 * one)


def test_a_layer_that_reads_all_its_entries_does_not_choose():
    """DeepSeek-V4's CSA layers have an indexer that chooses; its HCA layers read every entry of 128 tokens."""
    stack = at(model="deepseek-ai/DeepSeek-V4-Flash", layer=0)["stack"]
    mix = "2 × window of 128, 21 × sparse attention, 20 × compressed by 128"
    assert (stack["mix"], stack["first"][3]) == (mix, 0)
    for slug, _, _, kinds, stack in data["models"]:
        for layer, letter in zip(catalog.spec(slug).layers, stack, strict=True):
            chooses = kinds[LETTERS.index(letter)][0] == "S"
            assert chooses == bool(getattr(layer.mixer, "indexer", None)), slug


KEPT_ALL = [  # slug, bytes if every layer kept every token of 131,072, what is said of the comparison
    ("MiniMaxAI/MiniMax-M1-80k", 80 * 4_096, "its 70 layers with a state of fixed size keep what a full layer keeps"),
    ("deepseek-ai/DeepSeek-V4-Flash", 43 * 1_024, "nothing is compressed"),
    ("openai/gpt-oss-120b", 36 * 2_048, ""),
]


@pytest.mark.parametrize(("slug", "per_token", "says"), KEPT_ALL)
def test_a_saving_is_against_every_layer_keeping_every_token(slug, per_token, says):
    """A fixed state and compressed entries save too: the comparison lets no layer let go, fix its state or compress."""
    stack = at(model=slug, layer=0)["stack"]
    assert (stack["bytes_full"], stack["growing_full"]) == (per_token * 131_072, per_token)
    assert stack["ratio"] == stack["bytes_full"] / stack["bytes"]
    assert says in stack["compared"] and bool(says) == bool(stack["compared"])


def test_one_is_not_a_plural():
    """One token is one token, wherever tokens, keys and layers are counted."""
    window = [["W", 1, 0, 0, [[2, 1, 1, 0]]]]
    one = {"kinds": window, "stack": "a", "loops": 1, "title": "small"}
    assert stacks.compute(one, 0, 9)["knows"].endswith("1 token, none before token 8.")
    said = json.dumps([at(context=1), at(kind="window", span=1, depth=2), at(kind="window", span=2, depth=1)])
    assert "1 tokens" not in said and "1 keys" not in said and "1 layers" not in said
    assert "At 1 token, " in said and "1 token takes" in said


# ---------------------------------------------------------------- claims


def test_one_seventh_is_ten_layers_of_seventy():
    """MiMo-V2.5-Pro's "roughly 1/7": 1/6.96 at 128k, towards 10/70 for long contexts."""
    first = at(context=131_072)["claims"][0]
    assert first["kept"] == 5_120 * (10 * 131_072 + 60 * 128)
    assert first["whole"] == 5_120 * 70 * 131_072
    assert fmt.fixed(first["ratio"], 2) == "6.96"
    assert first["limit"] == 7


def test_the_flash_claims_stand_on_its_config():
    """The rows of MiMo-V2-Flash use its layers, window and bytes as the catalogue reads them."""
    model = masks.find("XiaomiMiMo/MiMo-V2-Flash", data)
    counted = {kind[0]: (n, kind[1], kind[-1][0][0]) for n, kind in stacks.count_kinds(model)}
    for claim in [c for c in data["claims"] if c["way"].endswith(("4 heads each", "in the window layers"))]:
        assert (claim["full"], 0, claim["full_bytes"]) == counted["F"]
        assert (claim["windows"], claim["window"], claim["window_bytes"]) == counted["W"]
    own = at(context=131_072)["claims"][3]
    assert own["ratio"] == at(model="XiaomiMiMo/MiMo-V2-Flash", context=131_072)["stack"]["ratio"]


def test_a_claim_for_a_catalogued_model_uses_a_name_of_the_gallery():
    """MiMo-V2.5-Pro and Flash are listed, and Pro's own config gives what the claim's row states."""
    titles = {model.slug for model in catalog.MODELS}
    assert {"XiaomiMiMo/MiMo-V2.5-Pro", "XiaomiMiMo/MiMo-V2-Flash"} <= titles
    pro, claim = at(model="XiaomiMiMo/MiMo-V2.5-Pro", layer=0, context=131_072), data["claims"][0]
    assert pro["stack"]["mix"].startswith(f"{claim['windows']} × window of {claim['window']}, {claim['full']} × full")
    assert (pro["stack"]["bytes"], pro["stack"]["bytes_full"]) == (pro["claims"][0]["kept"], pro["claims"][0]["whole"])


# ---------------------------------------------------------------- what the page promises


def test_the_bets_have_the_answers_that_their_beats_argue_for():
    """Share, reach, wall, first full layer and bytes, each by hand."""
    looks = [expected.looks(told, beat)[1] for beat in told.beats]
    share, oldest, gain, deep, kept = (look(beat.bet.answer) for look, beat in zip(looks, told.beats, strict=True))
    assert share == (48 * 12 - 12 * 11 / 2) / (48 * 49 / 2)
    assert oldest == 40 - 3 * 11
    assert told.beats[2].bet.options[gain] == "no more"
    assert (deep, looks[3]("below")) == (6, 5 * 1_023 + 1)
    assert kept == 2 * 16 * 128 * 2 * (10 * 131_072 + 52 * 1_024)
    assert 10 * 131_072 / (10 * 131_072 + 52 * 1_024) > 0.95  # "nearly all of the cache is in the full layers"
    assert told.beats[3].bet.state["layer"] == deep - 1
    assert at(**told.beats[3].state)["stack"]["marks"][: deep * 2] == "WWWWWF" * 2
    llama, gpt = (at(model=slug, layer=0)["stack"]["marks"] for slug in (SCOUT, "openai/gpt-oss-120b"))
    assert (llama, gpt) == ("CCCF" * 12, "WF" * 18)


def test_a_stack_too_shallow_for_the_first_token_is_given_no_layer():
    """Mistral's 32 windows reach 131,041 tokens back: no layer knows token 0 of 131,072, and nothing counts a 33rd."""
    state = {**masks.STATE, "model": "mistralai/Mistral-7B-v0.1", "context": 131_072}
    answers = expected.answers("masks")
    assert answers["deep"](state, data) == "none of its 32"
    assert answers["below"](state, data) == 32 * 4_095 + 1
    assert answers["deep"]({**state, "context": 32 * 4_095 + 1}, data) == 32
    assert answers["deep"]({**state, "context": 32 * 4_095 + 2}, data) == "none of its 32"


def test_the_goals_know_their_near_misses(of_beats):
    """14 stops at key 1, 16 is not the smallest; Mistral saves most and misses token 0; the 31B saves less."""
    goal = lambda name, *more: of_beats("masks", "goals", name, [{**masks.STATE, **one} for one in more])  # noqa: E731
    made = goal("key_0", *({"depth": 3, "span": span} for span in (14, 15, 16)))
    assert [one["reached"] for one in made] == [False, True, False]
    assert "can know about is 1." in made[0]["says"] and "smaller" in made[2]["says"]
    wrong = ({"first": 1}, {"query": 39}, {"depth": 4}, {"kind": "chunked"})
    assert not any(one["reached"] for one in goal("key_0", *({"depth": 3, "span": 15, **one} for one in wrong)))
    slugs = ("mistralai/Mistral-7B-v0.1", "google/gemma-4-12B-it", "google/gemma-4-31B-it")
    said = goal("saves_most", *({"model": slug} for slug in slugs))
    assert [one["reached"] for one in said] == [False, True, False]
    assert "saves 32.0 ×, but token 0 is 31 tokens out of reach" in said[0]["says"]
    assert "saves 18.2 ×" in said[1]["says"]
    assert "Mistral 7B v0.1 saves more but cannot know about token 0" in said[1]["says"]
    assert not goal("saves_most", {"model": slugs[1], "context": 131_071})[0]["reached"]


def test_the_smallest_window_and_the_saving_stack_are_the_references(of_beats):
    """Over every window and every stack, a goal is reached where the reference's reach and bytes say so, once."""
    windows = [{**masks.STATE, "depth": 3, "span": span} for span in range(1, masks.TOKENS + 1)]
    knows = [at(**state)["mask"]["known_ranges"][0][0] == 0 for state in windows]
    made = of_beats("masks", "goals", "key_0", windows)
    assert [one["reached"] for one in made] == [i == knows.index(True) for i in range(len(windows))]
    stacked = [{**masks.STATE, "model": row[0], "layer": 0} for row in data["models"]]
    now = [at(**state)["stack"] for state in stacked]
    most = max(one["ratio"] for one in now if one["first"][-1] == 0)
    made = of_beats("masks", "goals", "saves_most", stacked)
    assert [one["reached"] for one in made] == [one["first"][-1] == 0 and one["ratio"] == most for one in now]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"kind": "dilated"}, "A mask is one of causal, window, chunked."),
        ({"span": 0}, "The window or chunk is a whole number from 1 to 48."),
        ({"query": 48}, "The query is a whole number from 0 to 47."),
        ({"logit": 9}, "The sink's logit is a number from -8 to 8."),
        ({"layer": 62}, "Gemma 3 27B has 62 layers: a layer from 0 to 61."),
        ({"context": 0}, "The context is a whole number of tokens from 1 to 4,194,304."),
        ({"model": "x"}, "No model here is called “x”; choose one from the list."),
    ],
)
def test_an_illegal_state_gets_the_sentence_that_says_what_is_legal(change, sentence):
    """check() names what is legal."""
    assert sentence == masks.check({**masks.STATE, **change}, data)
