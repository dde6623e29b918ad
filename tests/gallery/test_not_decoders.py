"""What is no decoder language model is refused in one sentence that says what it is; every decoder is still read."""

import pytest

from cutaway.gallery import ConfigError, catalog, read
from cutaway.gallery.reading.class_defaults import CLASS_DEFAULTS
from cutaway.gallery.reading.not_decoders import ROWS

SIZES = {"vocab_size": 30522, "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
         "intermediate_size": 3072}  # fmt: skip


def sized(model_type, architecture, **keys):
    """A config with the sizes that a decoder has too."""
    return {**SIZES, "model_type": model_type, "architectures": [architecture], **keys}


LLAMA = sized("llama", "LlamaForCausalLM")
T5 = {"d_ff": 3072, "d_kv": 64, "d_model": 768, "num_layers": 12, "num_heads": 12, "vocab_size": 32128,
      "is_encoder_decoder": True}  # fmt: skip
NOT = [  # (what it is, a config shaped like a published one)
    ("encoder", sized("bert", "BertForMaskedLM", type_vocab_size=2)),
    ("encoder", sized("bert", "BertLMHeadModel", is_decoder=True)),
    ("encoder", sized("bert", "BertModel")),
    ("encoder", sized("roberta", "RobertaForMaskedLM")),
    ("encoder", sized("xlm-roberta", "XLMRobertaForMaskedLM")),
    ("encoder", sized("xlm-roberta", "XLMRobertaModel")),
    ("encoder", sized("albert", "AlbertForMaskedLM", embedding_size=128)),
    ("encoder", sized("distilbert", "DistilBertForMaskedLM")),
    ("encoder", sized("deberta-v2", "DebertaV2ForSequenceClassification")),
    ("encoder", sized("modernbert", "ModernBertForMaskedLM", global_attn_every_n_layers=3)),
    ("encoder", sized("nomic_bert", "NomicBertModel")),
    ("encoder", sized("electra", "ElectraForPreTraining")),
    ("encoder", sized("new", "NewModel")),
    ("encoder", sized("mpnet", "MPNetForMaskedLM")),
    ("encoder", sized("protein_x", "ProteinForMaskedLM")),
    ("encoder-decoder", {**T5, "model_type": "t5", "architectures": ["T5ForConditionalGeneration"]}),
    ("encoder-decoder", {**T5, "model_type": "mt5", "architectures": ["MT5ForConditionalGeneration"]}),
    ("encoder-decoder", sized("bart", "BartForConditionalGeneration", encoder_layers=12, decoder_layers=12)),
    ("encoder-decoder", sized("whisper", "WhisperForConditionalGeneration", encoder_layers=12, decoder_layers=12)),
    ("encoder-decoder", {"model_type": "t5gemma", "architectures": ["T5GemmaForConditionalGeneration"],
                         "encoder": SIZES, "decoder": SIZES, "vocab_size": 256000}),
    ("encoder-decoder", sized("translator", "TranslatorForConditionalGeneration", is_encoder_decoder=True)),
    ("encoder-decoder", {"model_type": "blip-2", "architectures": ["Blip2ForConditionalGeneration"],
                         "text_config": {**T5, "model_type": "t5"}, "vision_config": {"hidden_size": 1408}}),
    ("encoder of a pair", {"model_type": "clip", "architectures": ["CLIPModel"],
                          "text_config": {**SIZES, "model_type": "clip_text_model"}, "vision_config": SIZES}),
    ("encoder of a pair", {"model_type": "siglip", "architectures": ["SiglipModel"], "text_config": SIZES}),
    ("reads pictures", {**SIZES, "model_type": "vit", "architectures": ["ViTForImageClassification"]}),
    ("reads pictures", {**SIZES, "model_type": "dinov2", "architectures": ["Dinov2Model"]}),
    ("reads pictures", {**SIZES, "model_type": "siglip_vision_model", "architectures": ["SiglipVisionModel"]}),
    ("timm", {"architecture": "resnet50", "num_classes": 1000, "pretrained_cfg": {"input_size": [3, 224, 224]}}),
    ("sound", {**SIZES, "model_type": "wav2vec2", "architectures": ["Wav2Vec2ForCTC"]}),
    ("series", {**T5, "model_type": "chronos", "architectures": ["ChronosModel"]}),
    ("diffusion", {"_class_name": "UNet2DConditionModel", "_diffusers_version": "0.8.1", "sample_size": 64}),
    ("diffusion", {"_class_name": "FluxTransformer2DModel", "num_layers": 19, "num_attention_heads": 24}),
    ("diffusion", {"_class_name": "StableDiffusionPipeline", "unet": ["diffusers", "UNet2DConditionModel"]}),
    ("adapter", {"peft_type": "LORA", "r": 8, "lora_alpha": 16, "base_model_name_or_path": "a/b"}),
    ("processor", {"image_processor_type": "CLIPImageProcessor", "image_mean": [0.5], "image_std": [0.5]}),
    ("processor", {"processor_class": "Qwen2VLProcessor", "patch_size": 14}),
    ("tokenizer", {"tokenizer_class": "LlamaTokenizer", "model_max_length": 4096, "processor_class": "X"}),
    ("tokenizer", {"version": "1.0", "added_tokens": [], "normalizer": None, "model": {"type": "BPE"}}),
    ("generation_config", {"_from_model_config": True, "eos_token_id": 2, "transformers_version": "4.51.0"}),
    ("generation_config", {"do_sample": True, "eos_token_id": 2, "top_p": 0.9}),
    ("sentence-transformers", {"word_embedding_dimension": 768, "pooling_mode_mean_tokens": True}),
    ("sentence-transformers", {"__version__": {"sentence_transformers": "2.0.0"}}),
    ("index", {"metadata": {"total_size": 1}, "weight_map": {"lm_head.weight": "model-00001.safetensors"}}),
    ("quantization", {"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "FP8"}}),
    ("drafter", {**LLAMA, "architectures": ["LlamaForCausalLMEagle3"], "draft_vocab_size": 32000}),
    ("drafter", {**LLAMA, "draft_vocab_size": 32000}),
    ("drafter", {**SIZES, "model_type": "qwen3", "architectures": ["DFlashDraftModel"], "dflash_config": {}}),
    ("drafter", {"model_type": "gemma4_assistant", "architectures": ["Gemma4AssistantForCausalLM"],
                 "text_config": {**SIZES, "model_type": "gemma4_text"}}),
]  # fmt: skip


@pytest.mark.parametrize(("what", "config"), NOT, ids=[f"{i}-{what}" for i, (what, _) in enumerate(NOT)])
def test_what_is_no_decoder_is_said(what, config):
    """The sentence names the kind of thing and what to give instead."""
    with pytest.raises(ConfigError, match=f"is an? .*{what}.*Give the config.json of") as refused:
        read(config)
    assert "\n" not in str(refused.value)


def test_every_row_is_tried():
    """No kind of thing is in the table without a config that shows it."""
    sentences = []
    for _, config in NOT:
        with pytest.raises(ConfigError) as refused:
            read(config)
        sentences.append(str(refused.value))
    assert [row.kind for row in ROWS if not any(row.says in sentence for sentence in sentences)] == []


READ = [
    LLAMA,
    sized("modernbert-decoder", "ModernBertDecoderForCausalLM", sliding_window=128),
    {"model_type": "llava", "architectures": ["LlavaForConditionalGeneration"], "text_config": LLAMA,
     "vision_config": {**SIZES, "model_type": "clip_vision_model"}},
    {"model_type": "blip-2", "text_config": sized("opt", "OPTForCausalLM"), "vision_config": {"hidden_size": 1408}},
    sized("git", "Grok1ForCausalLM", num_experts=8, num_experts_per_tok=2),
    {**LLAMA, "tokenizer_class": "LlamaTokenizer", "do_sample": True, "eos_token_id": 2, "transformers_version": "4"},
    {**LLAMA, "is_encoder_decoder": False, "is_decoder": False},
    {"text_config": LLAMA, "eos_token_id": 2, "transformers_version": "4", "processor_class": "X"},
]  # fmt: skip


@pytest.mark.parametrize("config", READ, ids=range(len(READ)))
def test_a_decoder_is_still_read(config):
    """A wrapper around a decoder, a decoder with an encoder's name, a decoder that drags other files' keys along."""
    assert read(config).num_hidden_layers == 12


def test_every_catalogued_model_is_still_read():
    """No row matches a model that we draw."""
    for row in catalog.drawable_rows():
        catalog.spec(row.slug)


def test_class_defaults_are_those_of_decoders():
    """The table of class defaults holds nothing that is refused."""
    assert [name for row in ROWS for name in row.types.split() if name in CLASS_DEFAULTS] == []


def test_every_model_type_of_the_table_is_refused_by_itself():
    """The model_type suffices, without a class."""
    for row in ROWS:
        for name in row.types.split():
            with pytest.raises(ConfigError) as refused:
                read({**SIZES, "model_type": name})
            assert row.says in str(refused.value)
