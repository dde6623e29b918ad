"""What a copy of a config lacked was filled in from a source that is named, or is said to be lacking."""

import re
from collections import Counter
from dataclasses import replace

import pytest

from cutaway.gallery import catalog, parameters, read, weights
from cutaway.gallery.catalog import missing_facts, published, snapshot
from cutaway.gallery.catalog.config_patches import PATCHES, ConfigPatch, patch_config
from cutaway.gallery.comparing import catalogue_lineage, differences, novelty
from cutaway.gallery.comparing.shape import shape_clauses, shape_of
from cutaway.gallery.reading.assumed import assumed_keys
from cutaway.gallery.reading.quantization import list_stored
from cutaway.gallery.sublayers import parts_of

DRAWN = catalog.drawable_rows()

# ---------------------------------------------------------------- mends


@pytest.mark.parametrize("mend", PATCHES, ids=lambda mend: mend.slug)
def test_a_mended_snapshot_says_what_was_filled_in_and_from_where(mend):
    """It is no file of the Hub's own any more: it is reconstructed, and its sentence names keys and source."""
    assert catalog.find(mend.slug).reconstructed
    sentence = catalog.provenance(mend.slug)
    assert all(key in sentence for key in mend.keys)
    assert not mend.keys or mend.source in sentence


def test_a_mend_is_laid_over_a_copy_and_borrows_from_another():
    """Keys of another model go, missing ones come; what stood wrong under another's name is taken from there."""
    super_fp8, super_bf16 = (f"nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-{word}" for word in ("FP8", "BF16"))
    copies = {super_bf16: {"quantization_config": {"a": 1}, "b": 2}, super_fp8: {"b": 2}}
    assert patch_config(super_bf16, copies[super_bf16], copies.get) == {"b": 2}
    assert patch_config(super_fp8, copies[super_fp8], copies.get) == {"b": 2, "quantization_config": {"a": 1}}
    assert patch_config("nobody/none", {"c": 3}, copies.get) == {"c": 3}
    assert ConfigPatch("a/b", "there", {"x": 1}).words("a copy") == "a copy; x taken from there"


def test_glm_4_chat_is_not_the_base_model():
    """131,072 tokens at base 10,000 times 500; the base model, whose file was once drawn, has 8,192 at 10,000."""
    spec = catalog.spec("zai-org/glm-4-9b-chat")
    assert (spec.max_position_embeddings, spec.layers[0].mixer.rope.theta) == (131_072, 5_000_000.0)


def test_mellum_has_three_windows_to_each_global_layer():
    """As JetBrains' report says; the last of four sees everything, and alone is stretched."""
    spec = catalog.spec("JetBrains/Mellum2-12B-A2.5B-Thinking")
    windows = [layer.mixer.sliding_window for layer in spec.layers]
    assert windows == [1024, 1024, 1024, 0] * 7
    assert {layer.mixer.rope.kind for layer in spec.layers if not layer.mixer.sliding_window} == {"yarn"}


def test_nemotron_super_is_packed_as_its_name_says():
    """BF16 is 241 GB; FP8 keeps head, attention and latent projections in 16 bits."""
    for word, most, least in (("BF16", 242e9, 241e9), ("FP8", 123e9, 122e9)):
        spec = catalog.spec(f"nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-{word}")
        kept = list_stored(spec, weights(spec))
        assert least < sum(one.bytes for one in kept) < most
    plain = {one.name.split(".")[-2] for one in kept if not one.row}
    assert {"in_proj", "up_proj", "down_proj"} & plain <= {"in_proj"}
    assert {"lm_head", "q_proj", "o_proj", "fc1_latent_proj", "fc2_latent_proj"} <= plain


def test_step_turns_its_global_layers_further():
    """Base 5,000,000 over half a head, stretched; windows 10,000 over the whole head."""
    ropes = [layer.mixer.rope for layer in catalog.spec("stepfun-ai/Step-3.5-Flash").layers]
    assert [(rope.theta, rope.dims, rope.kind) for rope in ropes[:4]] == [
        (5_000_000.0, 64, "llama3"), *[(10_000.0, 128, "default")] * 3]  # fmt: skip


@pytest.mark.parametrize("slug", ["stepfun-ai/Step-3.7-Flash", "stepfun-ai/Step-3.7-Flash-FP8"])
def test_step_3_7_has_more_heads_in_windows_and_clamps_two_shared_experts(slug):
    """96 query heads in windows and 64 elsewhere; layers 43 and 44 clamp at 7 and, the shared expert, at 16."""
    layers = catalog.spec(slug).layers
    heads = {(bool(layer.mixer.sliding_window), layer.mixer.num_attention_heads) for layer in layers}
    assert heads == {(True, 96), (False, 64)}
    limits = [(layer.index, layer.mlp.limit, layer.mlp.shared_limit) for layer in layers[3:] if layer.mlp.limit]
    assert limits == [(43, 7.0, 16.0), (44, 7.0, 16.0)]


def test_step_3_7_has_the_published_total():
    """With towers, MTP layers and buffers, its checkpoint's 201,365,316,160 numbers to the last."""
    spec = catalog.spec("stepfun-ai/Step-3.7-Flash")
    towers = 1_981_014_784  # measured: transformers 5.23.0, tests/oracle/parameters.json
    selection = 42 * 288  # a router's correction bias is a buffer
    assert parameters(spec).total + parameters(spec).mtp + towers + selection == 201_365_316_160


def test_maverick_instruct_has_the_context_of_its_own_file():
    """1,048,576 positions; the copy at hand had the base model's 262,144."""
    spec = catalog.spec("meta-llama/Llama-4-Maverick-17B-128E-Instruct")
    assert spec.max_position_embeddings == 1_048_576
    copy = {"text_config": {"max_position_embeddings": 262_144, "head_dim": 128}, "model_type": "llama4"}
    assert patch_config("meta-llama/Llama-4-Maverick-17B-128E-Instruct", copy, {}.get) == {
        "text_config": {"max_position_embeddings": 1_048_576, "head_dim": 128}, "model_type": "llama4"}  # fmt: skip


# ---------------------------------------------------------------- what is still lacking


def test_a_class_default_is_called_so():
    """Granite's multipliers and base, cut from its config, are named as assumed; a whole config assumes nothing."""
    whole = catalog.load("ibm-granite/granite-4.1-30b")
    cut = {key: value for key, value in whole.items() if key not in ("rope_theta", "attention_multiplier")}
    assert assumed_keys(whole, read(whole)) == ()
    assert assumed_keys(cut, read(cut)) == ("rope_theta", "attention_multiplier")


def test_a_trimmed_copy_lists_what_it_lacks_and_a_file_does_not():
    """The Hub's own file leaves keys out on purpose."""
    cut = {key: value for key, value in catalog.load("meta-llama/Llama-3.1-8B").items() if key != "rope_theta"}
    assert snapshot.snapshot(cut, "reconstructed", "2026-11-23")["lacks"] == ["rope_theta"]
    assert "lacks" not in snapshot.snapshot(cut, "file", "2026-11-23")


UNSAID = ("mistralai/Mistral-Small-4-119B-2603", "tencent/Hy3-preview", "sarvamai/sarvam-30b", "sarvamai/sarvam-105b",
          "MiniMaxAI/MiniMax-Text-01-hf")  # fmt: skip


@pytest.mark.parametrize("slug", UNSAID)
def test_no_sentence_names_a_context_that_only_a_class_assumes(slug):
    """Neither the headline nor a verdict, and the page says what is not known; a stated context is named, so the check
    can fail."""
    known, spec = catalogue_lineage(), catalog.spec(slug)
    assert spec.max_position_embeddings is None
    assert missing_facts.list_missing(catalog.find(slug), spec)[-1].endswith(
        "how long a context the model is made for."
    )
    assert "a context of" not in novelty.find_novelty(known, slug).tagline
    base = catalog.spec("meta-llama/Meta-Llama-3-8B")
    assert "a context of" not in differences.verdict(base, spec, ("A", "B")).text
    assert "a context of" not in differences.verdict(spec, base, ("A", "B")).text
    stated = replace(spec, max_position_embeddings=1_048_576)
    assert "a context of" in str(list(shape_clauses(shape_of(base), shape_of(stated))))


def test_no_sentence_names_a_rope_base_that_only_a_class_assumes():
    """InternLM3's base is its class's default: beside InternLM 2.5's 1,000,000 nothing is said of it."""
    older, spec = (catalog.spec(slug) for slug in ("internlm/internlm2_5-7b", "internlm/internlm3-8b-instruct"))
    assert "rope_theta" in spec.assumed
    assert "RoPE base" not in str(list(shape_clauses(shape_of(older), shape_of(spec))))
    assert "RoPE base" in str(list(shape_clauses(shape_of(older), shape_of(replace(spec, assumed=())))))


def test_a_reconstructed_config_states_no_context_but_the_published_one():
    """Where a row prints a context, a config that was put together says the same or nothing."""
    rows = [row for row in catalog.drawable_rows() if row.reconstructed and row.context and not row.config_of]
    put_together = [row for row in rows if row.source["how"].startswith("reconstructed from known dimensions")]
    wrong = [
        row.slug
        for row in put_together
        if catalog.spec(row.slug).max_position_embeddings
        and "context" in {one.figure for one in published.contradictions(row.slug)}
    ]
    assert len(put_together) > 30 and wrong == []


NOTED = {
    "sarvamai/sarvam-105b": "rope_parameters and routed_scaling_factor; the defaults of the class are used instead "
    "(RoPE base 10,000).",
    "Qwen/Qwen3-Next-80B-A3B-Instruct-FP8": "no quantization_config",
    "CohereLabs/command-a-plus-05-2026-w4a4": "The name says w4a4",
    "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-NVFP4": "exclude_modules",
    "nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-NVFP4": "exclude_modules",
}


@pytest.mark.parametrize(("slug", "words"), NOTED.items())
def test_a_page_says_what_its_copy_lacks(slug, words):
    """Keys, a scheme, or the list of what is no part of the scheme."""
    assert words in " ".join(missing_facts.list_missing(catalog.find(slug), catalog.spec(slug)))


@pytest.mark.parametrize("slug", ["nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-FP8", "deepseek-ai/DeepSeek-V3"])
def test_a_whole_copy_has_no_note(slug):
    """With keys, scheme and list there is nothing to say."""
    assert missing_facts.list_missing(catalog.find(slug), catalog.spec(slug)) == ()


DECLARED = {
    "MiniMaxAI/MiniMax-M2.5": "num_mtp_modules = 3, but the published files hold no weights",
    "MiniMaxAI/MiniMax-M3": "num_nextn_predict_layers = 1: these multi-token-prediction layers are neither drawn",
    "inclusionAI/Ling-2.6-1T": "num_nextn_predict_layers = 1: these multi-token-prediction layers",
    "tencent/Hy4-preview": "num_nextn_predict_layers = 1: these multi-token-prediction layers",
    "Qwen/Qwen-7B": "Beyond 8,192 tokens, the model relies on use_dynamic_ntk and use_logn_attn, which are not drawn.",
    "xai-org/grok-2": "SGLang uses only the base, as drawn",
}


@pytest.mark.parametrize(("slug", "words"), DECLARED.items())
def test_what_a_config_declares_and_the_spec_leaves_out_is_said(slug, words):
    """A key that was asked for and not drawn is no key that was read in silence."""
    assert any(words in note for note in catalog.spec(slug).notes)


def test_every_declared_prediction_layer_is_drawn_or_noted():
    """No catalogued config says it predicts further ahead without a word of ours."""
    for row in DRAWN:
        spec, config = catalog.spec(row.slug), catalog.load(row.slug)
        text = config.get("text_config", config)
        said = [text.get(key) for key in ("num_nextn_predict_layers", "num_mtp_modules", "mtp_num_hidden_layers")]
        assert spec.mtp or spec.notes or not any(said), row.slug


# ---------------------------------------------------------------- the mix that others print

OTHERWISE = {  # the printed mix counts something else than the layers of the config
    "ByteDance/Ouro-2.6B-Thinking": "48 layers, and how often they run",
    "Nanbeige/Nanbeige4.2-3B": "22 layers, and how often they run",
    "XiaomiMiMo/MiMo-V2-Flash": "by the ratio of five to one; the config's first layer is global too: 39 and 9",
    "meituan-longcat/LongCat-Flash-Lite": "each layer's two halves",
    "stepfun-ai/Step-3.5-Flash": "the windows of three prediction layers too",
    "Zyphra/ZAYA1-8B": "both halves of each layer",
}


LIMITS = ("sliding_window", "attention_chunk_size", "indexer")  # what keeps a layer from seeing everything


def sorts(spec, of):
    """How many layers there are of each sort, sorted; layers without a mixer are a sort, or none."""
    counts = Counter(of(layer.mixer) for layer in spec.layers)
    return [sorted(counts.values()), sorted(count for sort, count in counts.items() if sort)]


def fine(mixer):
    """Class of every part, and what limits it."""
    return tuple(
        (type(part).__name__, *(bool(getattr(part, name, None)) for name in LIMITS)) for part in parts_of(mixer)
    )


def coarse(mixer):
    """The class alone."""
    return tuple(type(part).__name__ for part in parts_of(mixer))


@pytest.mark.parametrize("row", [row for row in DRAWN if row.mix], ids=lambda row: row.slug)
def test_the_printed_mix_is_the_mix_of_the_layers(row):
    """ "21 sliding-window + 7 full" is 21 layers of one sort and 7 of another, or the row says what else it counts."""
    spec = catalog.spec(row.slug)
    printed = sorted(int(number) for number in re.findall(r"(?<![\w.-])(\d+)(?= (?!MTP))", row.mix))
    ours = [*sorts(spec, fine), *sorts(spec, coarse), [len(spec.layers)]]
    assert (printed in ours) == (row.slug not in OTHERWISE), (row.mix, ours)
