"""Classes without an LM head, wrappers with defaults of their own, spellings and families that the catalogue lacks."""

from pathlib import Path

import pytest

from cutaway.app.model.tables import head_words
from cutaway.gallery import ConfigError, catalog, draw, parameters, read, weights
from cutaway.gallery.command.report import _count_rows
from cutaway.gallery.drawing.figure_words import outline

HERE = Path(__file__).parent.parent

# ---------------------------------------------------------------- heads


def of(slug, **changes):
    return {**catalog.load(slug), **changes}


LLAMA = "meta-llama/Llama-3.1-8B"
HEADLESS = [
    ("LlamaForCausalLM", {}, 8_030_261_248),
    ("LlamaModel", {}, 7_504_924_672),
    ("LlamaBidirectionalModel", {}, 7_504_924_672),
    ("LlamaForSequenceClassification", {"num_labels": 1}, 7_504_928_768),  # published: Skywork-Reward-Llama-3.1-8B
    ("LlamaForSequenceClassification", {"id2label": {"0": "a", "1": "b", "2": "c"}}, 7_504_936_960),
    ("LlamaForTokenClassification", {}, 7_504_932_866),
    ("LlamaForQuestionAnswering", {}, 7_504_932_866),
]


@pytest.mark.parametrize(("name", "keys", "total"), HEADLESS, ids=[f"{row[0]}-{i}" for i, row in enumerate(HEADLESS)])
def test_a_class_without_a_head_is_counted_without_one(name, keys, total):
    """The backbone alone, or with the small matrix that scores."""
    spec = read(of(LLAMA, architectures=[name], **keys))
    assert (parameters(spec).total, spec.has_head) == (total, name.endswith("CausalLM"))
    assert spec.unread == ()
    assert any(one.name == "lm_head.weight" for one in weights(spec)) == spec.has_head


def test_an_embedding_model_goes_by_its_class():
    """Qwen3-Embedding's file names the causal class, which has a head; its checkpoint has none, and was followed."""
    assert read(of("Qwen/Qwen3-Embedding-8B", architectures=["Qwen3ForCausalLM"])).has_head
    spec = catalog.spec("Qwen/Qwen3-Embedding-8B")
    assert not spec.has_head and parameters(spec).total == 7_567_295_488  # published


@pytest.mark.parametrize("name", ["ChatGLMModel", "InternVLChatModel", "GPT2LMHeadModel", "DreamModel", "NVLM_D_Model"])
def test_remote_code_may_call_a_whole_model_model(name):
    """These classes end in Model and have a head."""
    assert read(of(LLAMA, architectures=[name], model_type="x")).has_head


def test_the_words_say_that_there_is_no_head():
    """Command line, page and drawing: no tied head, no logits."""
    spec = read(of("Qwen/Qwen3-1.7B", architectures=["Qwen3Model"]))
    assert _count_rows(spec)[0] == ("parameters", "1.72 B  (1,720,574,976), no LM head in Qwen3Model")
    assert head_words(spec)[0] == "only an embedding, no output head"
    assert "no LM head" in draw(spec)
    assert "logits" not in outline(spec)


def test_a_scoring_head_is_a_box_of_its_own():
    """The drawing names what stands in the head's place."""
    said = outline(read(of(LLAMA, architectures=["LlamaForSequenceClassification"], num_labels=1)))
    assert "scores instead of an LM head: 1×4,096" in said


# ---------------------------------------------------------------- DeepSeek-V4 as transformers writes it

V4 = "deepseek-ai/DeepSeek-V4-Flash"
RATIO_WORDS = {0: "sliding_attention", 4: "compressed_sparse_attention", 128: "heavily_compressed_attention"}


def native_v4(**changes):
    """The published file under the keys that transformers saves."""
    config = dict(catalog.load(V4))
    ratios, depth = config.pop("compress_ratios"), config["num_hidden_layers"]
    hashed, rope = config.pop("num_hash_layers"), config.pop("qk_rope_head_dim")
    native = {
        "layer_types": [RATIO_WORDS[ratio] for ratio in ratios[:depth]],
        "mlp_layer_types": ["hash_moe"] * hashed + ["moe"] * (depth - hashed),
        "compress_rates": {"compressed_sparse_attention": 4, "heavily_compressed_attention": 128},
        "partial_rotary_factor": rope / config["head_dim"],
    }
    return {**config, **native, **changes}


def test_v4_is_the_same_in_either_spelling():
    """layer_types, mlp_layer_types, compress_rates and a share of head_dim say what the published keys say."""
    ours, theirs = read(native_v4()), catalog.spec(V4)
    assert [layer.mixer for layer in ours.layers] == [layer.mixer for layer in theirs.layers]
    assert [layer.mlp for layer in ours.layers] == [layer.mlp for layer in theirs.layers]
    assert (weights(ours), weights.mtp(ours)) == (weights(theirs), weights.mtp(theirs))
    assert (ours.buffers, ours.unread) == (theirs.buffers, ())


def test_v4_may_have_other_rates():
    """compress_rates decide how many tokens feed an entry."""
    rates = {"compressed_sparse_attention": 4, "heavily_compressed_attention": 8}
    assert {layer.mixer.compress_ratio for layer in read(native_v4(compress_rates=rates)).layers} == {0, 4, 8}


@pytest.mark.parametrize("words", [["dense"] * 43, ["hash_moe"] * 20 + ["warp"] * 23], ids=["dense", "unknown"])
def test_v4_with_an_mlp_it_never_had_is_read(words):
    """Dense and unknown MLPs have no correction biases, and are no crash."""
    draw(read(native_v4(mlp_layer_types=words, intermediate_size=2048)))


# ---------------------------------------------------------------- wrappers and their spellings

QWEN_05B = {"hidden_size": 896, "num_hidden_layers": 24, "num_attention_heads": 14, "num_key_value_heads": 2,
            "intermediate_size": 4864, "vocab_size": 151936}  # fmt: skip
TIES = [  # wrapper, what it says, what the text part says, tied
    ("got_ocr2", None, None, True),
    ("llava", None, None, False),
    ("qwen2_5_omni_thinker", None, None, False),
    ("mistral3", None, None, False),
    ("internvl", False, True, False),
    ("internvl", True, False, True),
    ("llava", False, True, True),
    ("llava", None, True, True),
    ("wrapper_of_tomorrow", False, True, True),
]


@pytest.mark.parametrize(("wrapper", "outer", "inner", "tied"), TIES)
def test_the_head_of_a_wrapper_is_tied_as_its_class_does(wrapper, outer, inner, tied):
    """The wrapper's key, or its class's default; some classes take the text part's word as well."""
    text = {**QWEN_05B, "model_type": "qwen2"} | ({} if inner is None else {"tie_word_embeddings": inner})
    top = {"model_type": wrapper, "text_config": text} | ({} if outer is None else {"tie_word_embeddings": outer})
    spec = read(top)
    assert spec.tie_word_embeddings == tied
    assert parameters(spec).total == (494_032_768 if tied else 630_167_424)
    said = [words for words in spec.contradictions if words.startswith("tie_word_embeddings")]
    assert len(said) == (None not in (outer, inner) and outer != inner and wrapper != "wrapper_of_tomorrow")


OLD_BLOOM = {"model_type": "bloom", "architectures": ["BloomForCausalLM"], "n_embed": 1024, "n_layer": 24,
             "num_attention_heads": 16, "vocab_size": 250880, "offset_alibi": 100, "seq_length": 2048,
             "skip_bias_add": True, "skip_bias_add_qkv": False, "masked_softmax_fusion": True}  # fmt: skip


def test_old_bloom_says_n_embed():
    """bigscience/bloom-560m: 559,214,592 parameters, published."""
    spec = read(OLD_BLOOM)
    assert (parameters(spec).total, spec.unread) == (559_214_592, ())


def test_a_language_model_may_lie_under_llm_cfg():
    """VILA: the whole model's class ends in Model, and has the head of the one inside."""
    inner = {**QWEN_05B, "architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "tie_word_embeddings": True}
    config = {"model_type": "llava_llama", "architectures": ["LlavaLlamaModel"], "hidden_size": 896, "llm_cfg": inner}
    spec = read({**config, "vision_tower_cfg": {"hidden_size": 1152, "num_hidden_layers": 27}})
    assert (parameters(spec).total, spec.has_head, spec.unread) == (494_032_768, True, ())
    assert [tower.name for tower in spec.towers] == ["vision_tower_cfg"]


def test_what_lies_between_wrapper_and_text_is_read_too():
    """Qwen2.5-Omni: towers and unknown keys of the thinker are seen, the text inside it is the model."""
    thinker = {"model_type": "qwen2_5_omni_thinker", "audio_config": {"d_model": 1280, "encoder_layers": 32},
               "vision_config": {"hidden_size": 1280, "depth": 32}, "warp": 3,
               "text_config": {**QWEN_05B, "model_type": "qwen2_5_omni_text"}}  # fmt: skip
    config = {"model_type": "qwen2_5_omni", "architectures": ["Qwen2_5OmniModel"], "thinker_config": thinker}
    spec = read({**config, "talker_config": {"hidden_size": 896}, "enable_talker": True})
    assert (parameters(spec).total, spec.has_head) == (630_167_424, True)
    assert [tower.name for tower in spec.towers] == ["vision_config", "audio_config"]
    assert spec.unread == ("warp",)


DEEPSEEK_VL2_TINY = {"model_type": "deepseek_v2", "architectures": ["DeepseekV2ForCausalLM"], "use_mla": False,
    "first_k_dense_replace": 1, "hidden_size": 1280, "intermediate_size": 6848, "kv_lora_rank": None,
    "lm_head": True, "rm_head": False, "moe_intermediate_size": 896, "n_group": 1, "n_routed_experts": 64,
    "n_shared_experts": 2, "num_attention_heads": 10, "num_experts_per_tok": 6, "num_hidden_layers": 12,
    "num_key_value_heads": 10, "q_lora_rank": None, "qk_nope_head_dim": 0, "qk_rope_head_dim": 0, "topk_group": 1,
    "topk_method": "greedy", "v_head_dim": 0, "vocab_size": 129280}  # fmt: skip


@pytest.mark.parametrize("rank", [None, 512], ids=["null", "512"])
def test_use_mla_false_means_plain_attention(rank):
    """DeepSeek-VL2-Tiny: heads of 128, whatever the keys of MLA say; 3.37 B with its towers."""
    inner = {**DEEPSEEK_VL2_TINY, "kv_lora_rank": rank}
    spec = read(
        {"model_type": "deepseek_vl_v2", "architectures": ["DeepseekVLV2ForCausalLM"], "language_config": inner}
    )
    mixer = spec.layers[0].mixer
    assert (type(mixer).__name__, mixer.head_dim, mixer.v_head_dim) == ("Attention", 128, 128)
    assert (parameters(spec).total, spec.unread) == (2_934_734_080, ())


MOLMO = {"model_type": "molmo", "architectures": ["MolmoForCausalLM"], "attention_layer_norm": False,
         "embedding_size": 152064, "hidden_size": 3584, "intermediate_size": 37888, "layer_norm_eps": 1e-6,
         "layer_norm_type": "rms", "max_position_embeddings": 4096, "norm_after": False, "num_attention_heads": 28,
         "num_hidden_layers": 28, "num_key_value_heads": 4, "qkv_bias": True, "rope_theta": 1e6,
         "tie_word_embeddings": False, "use_position_ids": True, "vocab_size": 152064, "weight_tying": False,
         "clip_qkv": None}  # fmt: skip


def test_molmo_counts_gate_and_up_together():
    """Molmo-7B-D is Qwen2-7B and 128 further embeddings."""
    spec = read(MOLMO)
    assert parameters(spec).total == 7_615_616_512 + 128 * 3584
    assert (spec.embedding_size, spec.unread, spec.contradictions) == (0, (), ())
    assert {"model.transformer.blocks.0.ff_proj.weight", "model.transformer.wte.new_embedding"} <= {
        one.name for one in weights(spec)
    }


def test_molmo_may_normalise_as_olmo_does():
    """Molmo-7B-O: norms after each half, QK-norms over the whole projection, more rows than the vocabulary."""
    keys = {"norm_after": True, "attention_layer_norm": True, "qkv_bias": False, "vocab_size": 100278}
    spec = read({**MOLMO, **keys, "embedding_size": 100352})
    assert [one.position for one in spec.layers[0].norms] == ["mixer_out", "mlp_out"]
    assert (spec.layers[0].mixer.qk_norm, spec.layers[0].mixer.bias, spec.vocab_size) == ("full", frozenset(), 100352)


@pytest.mark.parametrize(
    ("version", "bias", "norm"), [(2.6, True, ""), ("4.5", False, "head"), (2.5, False, ""), ("4.0", False, "")]
)
def test_minicpm_v_changed_its_language_model(version, bias, norm):
    """Biases and QK-norms follow from the version: Qwen2 in 2.6, Qwen3 in 4.5, Llama's layer in 2.5 and 4.0."""
    config = {**QWEN_05B, "model_type": "minicpmv", "architectures": ["MiniCPMV"], "version": version}
    spec = read(config)
    mixer = spec.layers[0].mixer
    assert (bool(mixer.bias & {"q"}), mixer.qk_norm, spec.read_from_keys) == (bias, norm, False)


def test_qwen3_asr_has_qwen3s_norms():
    """A thinker around Qwen3: norms on queries and keys, no biases, a tied head."""
    text = {**QWEN_05B, "head_dim": 64}
    thinker = {"audio_config": {"d_model": 896, "model_type": "qwen3_asr_audio_encoder"}, "text_config": text}
    config = {"model_type": "qwen3_asr", "architectures": ["Qwen3ASRForConditionalGeneration"]}
    spec = read({**config, "thinker_config": thinker})
    assert (spec.layers[0].mixer.qk_norm, spec.layers[0].mixer.bias, spec.tie_word_embeddings) == (
        "head",
        frozenset(),
        True,
    )


# ---------------------------------------------------------------- configs of two families at once


def test_a_model_whose_layers_do_nothing_is_refused():
    """Zamba2 knows mamba and hybrid layers only."""
    with pytest.raises(ConfigError, match=r"Not one of the 38 layers has a mixer or an MLP: .* read as moe"):
        read(of("Zyphra/Zamba2-1.2B", layers_block_type=["moe"] * 38, layer_types=["moe"] * 38))


def test_a_layer_without_a_half_is_refused_where_the_stream_needs_both():
    """Gemma 3n mixes its streams around the mixer and the MLP of every layer."""
    config = dict(catalog.load("google/gemma-3n-E4B"))
    config["text_config"] = {**config["text_config"], "layer_types": ["full_attention"] * 34 + ["mlp"]}
    with pytest.raises(ConfigError, match="Layer 34 was read as mlp alone"):
        read(config)


def test_several_mixers_beside_an_mlp_are_drawn():
    """LongCat's pair of mixers in a layer whose halves stand side by side."""
    svg = draw(read(of("meituan-longcat/LongCat-Flash-Chat", use_parallel_residual=True)))
    assert svg.startswith("<svg")
