"""Tensor parallelism of single models: what their ranks hold and send, which numbers of ranks are legal."""

from __future__ import annotations

from cutaway import explainers
from cutaway.explainers import permalink
from cutaway.explainers.tensor_parallel import reference
from cutaway.gallery import catalog, memory, parameters
from tests.explainers.answers import tensor_parallel as told
from tests.explainers.tensor_parallel_states import DATA, state


def test_deepseek_keeps_its_latents_whole():
    """A rank of 8 keeps a whole cache of latents, and as many bytes are sent as by any layer of that width."""
    out = {t: reference.compute(state(model="deepseek-ai/DeepSeek-V3", tp=t), DATA()) for t in (1, 8)}
    assert out[1]["memory"]["cache"] == out[8]["memory"]["cache"] == 61 * 2 * 576 * 8192
    assert out[8]["sent"]["norm"]["formula"] == 0
    assert out[8]["sent"]["pass"]["formula"] == 61 * 2 * 2 * 7 * 8192 * 7168 * 2 / 8
    assert "the whole latents and 256 of 2,048 columns of each expert" in out[8]["holds"]


def test_olmo_gathers_queries_and_keys():
    """OLMo 2 7B on 4 ranks: three quarters of q and of k, 4,096 numbers each, leave every rank before the norm."""
    out = reference.compute(state(model="allenai/OLMo-2-1124-7B-Instruct", tp=4), DATA())
    assert out["sent"]["norm"]["counted"] == out["sent"]["norm"]["formula"] == 3 / 4 * 8192 * 2 * 4096 * 2
    assert out["moments"][2][0] == "all-gather of q, k"
    assert out["sent"]["layer"]["formula"] == sum(out["sent"][what]["formula"] for what in ("norm", "attention", "mlp"))


def test_layers_without_attention_do_not_meet_for_it():
    """Nemotron Super has attention in 49 of 80 layers, and MLPs of seven widths that ranks must divide."""
    out = reference.compute(state(model="nvidia/Llama-3_3-Nemotron-Super-49B-v1", tp=8), DATA())
    each = out["formula_bytes"]
    assert out["sent"]["pass"]["formula"] == (49 + 80) * each
    assert out["holds"].endswith("2,816 and 5,632 and 7,168 and 14,336 and 17,920 in the same way.")
    said = reference.check(state(model="stepfun-ai/Step-3.5-Flash", tp=5), DATA())
    assert said.startswith("5 ranks cannot share 64 query heads")


def test_what_other_layers_have_counts():
    """Widths and KV heads of layers that are not drawn must be divided, too: with other ones, 8 ranks are refused."""
    row = next(row for row in DATA()["models"] if row[0] == "deepseek-ai/DeepSeek-V2-Lite")
    data = {**DATA(), "models": [[*row[:-1], {**row[-1], "also": [2816, 10940]}]]}
    said = reference.check(state(model=row[0], tp=8), data)
    assert said == (
        "8 ranks cannot cut 10,940 MLP columns evenly: 10,940 / 8 is not whole. Legal for DeepSeek V2 Lite: 1, 2, 4."
    )
    data = {**DATA(), "models": [[*row[:10], [[100, 6]], *row[11:]]]}
    assert reference.check(state(model=row[0], tp=4), data).startswith(
        "6 KV heads can be neither split nor copied evenly over 4"
    )


def test_falcon_and_command_meet_once():
    """Both halves read x, so one all-reduce a layer: half of what a layer of Llama's shape sends."""
    falcon = reference.compute(state(model="tiiuae/falcon-40b", tp=8), DATA())
    assert falcon["sent"]["layer"]["counted"] == falcon["formula_bytes"] == falcon["sent"]["layer"]["formula"]
    assert falcon["sent"]["pass"]["message"] == 60 * falcon["message_bytes"]
    assert falcon["moments"][4] == ["no all-reduce yet", "the MLP reads x too"]
    assert told.how_often(state(model="CohereLabs/c4ai-command-r-v01", tp=4), DATA()) == 0


PRODUCTS = {
    "meta-llama/Llama-3.1-70B": "silu(gate) · up",
    "openai/gpt-oss-120b": "act(gate) · (up + 1)",
    "google/gemma-3-27b-it": "act(gate) · up",
    "tiiuae/falcon-40b": "act(up)",
}


def test_the_product_is_named_as_each_model_computes_it():
    """silu where it is silu; GPT-OSS multiplies up + 1, Gemma gates by GELU: so says the step."""
    for slug, words in PRODUCTS.items():
        out = reference.compute(state(model=slug, tp=8), DATA())
        assert out["moments"][7] == [words, "stays sharded"], slug
    for slug, *_ in DATA()["models"]:
        mlp = [layer for layer in catalog.spec(slug).layers if reference.shapes.is_drawn(layer)][-1].mlp
        name = reference.compute(state(model=slug, tp=1), DATA())["moments"][7][0]
        assert ("+ 1" in name) == (mlp.glu == "swigluoai"), slug
        assert name.startswith("silu(gate)") == (mlp.gated and mlp.hidden_act == "silu" and mlp.glu == "glu"), slug


def test_shapes_that_nobody_cuts_are_left_out():
    """No model of less than two billion parameters, none with another's config, no seeing twin of a reading one."""
    rows = {row[0]: row[2:] for row in DATA()["models"]}
    assert min(reference.shapes.count_parameters(row) for row in rows.values()) >= 2e9
    assert all(catalog.find(slug).config_of is None and catalog.find(slug).variant_of is None for slug in rows)
    assert "Qwen/Qwen3-32B" in rows and "Qwen/Qwen3-VL-32B-Instruct" not in rows
    seeing = [slug for slug in rows if catalog.spec(slug).towers]
    assert seeing and all(rows[slug] != row for slug in seeing for other, row in rows.items() if other not in seeing)


def test_the_cache_of_one_rank_is_the_models(verified):
    """On one rank the cache is gallery.memory's, windows, loops and states of fixed size included, at any context."""
    rows = {row[0]: reference.shapes.expand_row(row) for row in DATA()["models"]}
    assert len(rows) > 90
    wrong, checked = [], 0
    for row in rows.values():
        spec = catalog.spec(row["slug"])
        for context in (1, 100, 8192, 131_072, 1 << 20):
            checked += 1
            if reference.memory_of(row, 1, False, context)["cache"] != memory(spec, context).total_bytes:
                wrong.append((row["slug"], context))
    assert reference.memory_of(rows["google/gemma-3-27b-it"], 1, False, 131_072)["cache"] == 11_173_625_856
    verified("tensor-parallel: cache size per rank", checked, len(wrong), "gallery.memory")
    assert wrong == []


def test_shards_add_up_to_the_model():
    """Cut, K/V and whole parameters of every row sum to the model's count."""
    for row in DATA()["models"]:
        model = reference.shapes.expand_row(row)
        assert reference.memory.parameters(model) == parameters(catalog.spec(row[0])).total, row[0]


def test_seven_ranks_on_64_heads():
    """An impossible split says why, and what is legal."""
    sentence = reference.check(state(tp=7), DATA())
    assert sentence == (
        "7 ranks cannot share 64 query heads evenly: 64 / 7 is not whole. Legal for Llama 3.1 70B: 1, 2, 4, 8, 16."
    )


def test_every_refusal_is_a_sentence():
    """Bad states of every key are refused in words; the legal ones of the row are accepted."""
    bad = {"view": "x", "model": "x", "tp": 0, "sequence": 0.5, "sequence_parallel": "yes", "step": 10, "rank": "a",
           "stage": 4, "dp": 65, "convention": "17"}  # fmt: skip
    for key, value in bad.items():
        assert reference.check(state(**{key: value}), DATA()).endswith("."), key
    assert "does not divide 8,191" in reference.check(state(sequence=8191, sequence_parallel=True), DATA())
    assert "nor copied evenly" in reference.check(state(model="microsoft/phi-4", tp=4), DATA())
    for t in range(1, 17):
        model = reference.model_of(state(), DATA())
        assert (reference.check(state(tp=t), DATA()) == "") == (t in reference.legal(model))


def test_every_model_can_be_chosen_from_any_number_of_ranks(verified):
    """A model that t ranks cannot share moves t to the nearest number that can; one that a link sets is told."""
    check, settle = explainers.checker("tensor-parallel"), explainers.settler("tensor-parallel")
    wrong, checked = [], 0
    for row in DATA()["models"]:
        legal = reference.legal(reference.shapes.expand_row(row))
        for t in range(1, 17):
            moved = settle(state(model=row[0], tp=t), ["model"])
            checked += 1
            if check(moved) or min(abs(one - t) for one in legal) != abs(moved["tp"] - t):
                wrong.append((row[0], t))
    verified("tensor-parallel: models opened at any number of ranks", checked, len(wrong), "the page's own input check")
    assert wrong == []
    assert "7 ranks cannot share" in permalink.read_address(reference.STATE, "?tp=7", check, settle)[1][0]
    assert permalink.read_address(reference.STATE, "?model=no/such", check, settle)[1] != []
