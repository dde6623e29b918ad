"""A config that is no decoder language model -> one sentence that says what it is instead, and what to do.

A row is recognised by a key that no model config has, by the class, or by the model_type; the class of a known decoder
wins over the model_type beside it (grok-2 says "git"). A wrapper whose text part is a decoder matches no row.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from cutaway.gallery.reading.text_part import short
from cutaway.gallery.spec import ConfigError


class Row(NamedTuple):
    """One kind of thing that is not drawn: what it is, how it is recognised, what to do."""

    kind: str
    says: str  # goes on after "It is "
    do: str
    types: str = ""  # model_types
    classes: str = ""  # a regular expression for architectures[0] as a whole
    keys: tuple[str, ...] = ()  # "a b": all of these keys
    file: bool = False  # a file beside config.json: never one that names a model_type or has sizes


DECODER = "Give the config.json of a decoder, a model that writes text token by token."
BESIDE = "Give the config.json of the same repository."

ROWS = (
    Row("adapter", "an adapter (PEFT): small matrices that are added to another model, no model of its own",
        "Give the config.json of its base model.", keys=("peft_type", "lora_alpha target_modules",
        "adapter_layers adapter_len")),
    Row("diffusion", "a part of a diffusion pipeline, which makes pictures, sound or video",
        DECODER, keys=("_diffusers_version", "_class_name"),
        classes=r".*(UNet\w*|Transformer2DModel|AutoencoderKL\w*|Scheduler|DiffusionPipeline|Transformer3DModel)"),
    Row("tokenizer", "a tokenizer file: how text becomes token ids", BESIDE,
        keys=("tokenizer_class", "added_tokens_decoder", "added_tokens normalizer", "model pre_tokenizer",
              "chat_template", "unk_token bos_token"), file=True),
    Row("processor", "a processor file: how pictures or sound are cut up before a model sees them", BESIDE,
        keys=("processor_class", "image_processor_type", "feature_extractor_type", "image_mean image_std",
              "feature_size sampling_rate"), file=True),
    Row("sentence-transformers", "a module of a sentence-transformers pipeline: how token vectors become one vector",
        BESIDE, keys=("pooling_mode_mean_tokens", "word_embedding_dimension", "max_seq_length do_lower_case",
                      "in_features out_features activation_function", "__version__"), file=True),
    Row("generation", "a generation_config: how tokens are chosen, nothing about the model", BESIDE,
        keys=("_from_model_config", "max_new_tokens", "do_sample", "bos_token_id eos_token_id transformers_version",
              "eos_token_id transformers_version"), file=True),
    Row("index", "a checkpoint index: which tensor lies in which file", BESIDE, keys=("weight_map",), file=True),
    Row("quantization", "a quantization file: how the weights beside it are stored", BESIDE,
        keys=("producer quantization", "bits group_size", "quant_method"), file=True),
    Row("timm", "a timm or OpenCLIP model, which reads pictures", DECODER,
        keys=("pretrained_cfg", "model_cfg preprocess_cfg", "embed_dim vision_cfg")),
    Row("drafter", "a drafter: a few layers that guess tokens ahead for another model and run on that model's "
        "hidden states", "Give the config.json of the model it drafts for.",
        types="gemma4_assistant gemma4_unified_assistant muse_glimmer_assistant eagle eagle2 eagle3 dflash medusa "
        "mlp_speculator hydra speculators",
        classes=r"\w+(Eagle|EAGLE)\d?|Eagle3\w*|DFlash\w*|\w*(AssistantForCausalLM|Medusa\w*|SpeculatorPreTrainedModel"
        r"|DraftModel)",
        keys=("speculators_model_type", "draft_vocab_size", "dflash_config", "eagle_config", "medusa_num_heads",
              "target_layer_ids block_size", "spec_dec_type")),
    Row("encoder", "an encoder: every token sees all the others, it writes no text and keeps no cache", DECODER,
        types="albert bert bert-generation big_bird bros camembert canine chinese_bert convbert cross_encoder "
        "data2vec-text deberta deberta-v2 distilbert electra ernie ernie_m esm esmc eurobert flaubert fnet "
        "funnel gte ibert jina_bert jina_embeddings_v3 layoutlm layoutlmv2 layoutlmv3 lilt longformer luke "
        "lxmert markuplm megatron-bert mobilebert modernbert modernvbert mpnet mra neobert neomme new nezha "
        "nomic_bert nystromformer openai_privacy_filter perceiver qdqbert rembert roberta roberta-prelayernorm "
        "roc_bert roformer splinter squeezebert tapas ultrabert ultravbert visual_bert xlm xlm-roberta "
        "xlm-roberta-flash xlm-roberta-xl xmod yoso embedding_gemma2 embedding_gemma2_text",
        classes=r"\w*(Bert|BERT|Roberta|Deberta|DebertaV2|Electra|Albert|MPNet|Longformer)"
        r"(Model|LMHeadModel|For\w+)?|\w+ForMaskedLM"),
    Row("encoder-decoder", "an encoder-decoder: an encoder reads the input, and the decoder attends to what it made",
        DECODER,
        types="bart bigbird_pegasus blenderbot blenderbot-small canary cohere_asr encoder-decoder florence2 fsmt "
        "led longt5 m2m_100 marian mbart moonshine moonshine_streaming mt5 mvp nllb-moe nllb_moe pegasus "
        "pegasus_x pix2struct plbart prophetnet rag seamless_m4t seamless_m4t_v2 speech-encoder-decoder "
        "speech_to_text speech_to_text_2 switch_transformers t5 t5gemma t5gemma2 t5gemma2_text "
        "t5gemma2_encoder trocr udop umt5 vision-encoder-decoder whisper xlm-prophetnet dia musicgen "
        "musicgen_melody pop2piano pix2struct_text_model pp_formulanet_text diffusion_gemma "
        "diffusion_gemma_text",
        classes=r"(M|UM|Long|L|)T5\w*|\w*(Bart|Whisper|Pegasus|Marian)(Model|For\w+|MTModel)",
        keys=("encoder_layers decoder_layers",)),
    Row("vision", "a network that reads pictures or video alone, without a language model", DECODER,
        types="aimv2_vision_model beit bit chinese_clip_vision_model clip_vision_model conditional_detr convnext "
        "convnextv2 cvt d_fine data2vec-vision deformable_detr deit depth_pro detr dinat dinov2 "
        "dinov2_with_registers dinov3_convnext dinov3_vit donut-swin dpt efficientnet focalnet glpn "
        "grounding-dino hiera ijepa intern_vit_6b internvl_vision levit mask2former maskformer mgp-str "
        "mllama_vision_model mobilenet_v1 mobilenet_v2 mobilevit mobilevitv2 moonvit oneformer pixtral "
        "poolformer pvt pvt_v2 qwen2_vl_vision qwen2_5_vl_vision qwen3_vl_vision radio regnet resnet rt_detr "
        "rt_detr_v2 sam sam2 sam2_video sam3 sam_hq segformer siglip2_vision_model siglip_vision_model "
        "superpoint swiftformer swin swin2sr swinv2 table-transformer timesformer timm_backbone timm_wrapper "
        "upernet van videomae vilt vit vit_hybrid vit_mae vit_msn vitdet vitmatte vivit vjepa2 yolos zoedepth",
        classes=r"\w*(ViT|Dino\w*|Swin\w*|ConvNext\w*|Segformer|ResNet|VisionModel)(Model|WithProjection|For\w+|)"
        r"|\w+For(ImageClassification|ObjectDetection|SemanticSegmentation|DepthEstimation|MaskGeneration)"),
    Row("vision-text", "an encoder of a pair (like CLIP) that matches pictures or sound with text, and writes none",
        DECODER,
        types="aimv2 aimv2_text_model align align_text_model altclip altclip_text_model blip_text_model bridgetower "
        "bridgetower_text_model chinese_clip chinese_clip_text_model clap clap_text_model clip "
        "clip_text_model clipseg clipseg_text_model flava flava_text_model groupvit groupvit_text_model "
        "metaclip_2 metaclip_2_text_model owlv2 owlv2_text_model owlvit owlvit_text_model "
        "sam3_lite_text_text_model siglip siglip2 siglip2_text_model siglip_text_model tipsv2 "
        "tipsv2_text_model videoprism_text_model vision-text-dual-encoder xclip xclip_text_model",
        classes=r"(Jina|OpenCLIP|Alt|Chinese|)CLIP\w*|Siglip\w*"),
    Row("audio", "a network that reads or makes sound alone, without a language model", DECODER,
        types="audio-spectrogram-transformer audioflamingo3_encoder bark clvp dac data2vec-audio encodec "
        "fastspeech2_conformer glmasr_encoder hubert lasr_ctc lasr_encoder mctct mimi nemotron_asr_streaming "
        "neucodec parakeet_ctc parakeet_encoder parakeet_rnnt parakeet_tdt qwen2_audio_encoder "
        "qwen3_asr_encoder sew sew-d snac speecht5 unispeech unispeech-sat univnet vits voxtral_encoder "
        "wav2vec2 wav2vec2-bert wav2vec2-conformer wavlm xcodec xcodec2",
        classes=r"(Wav2Vec2|Hubert|WavLM|SpeechT5|Encodec|Vits)\w*|\w+For(CTC|AudioClassification|XVector)"),
    Row("time series", "a forecaster of number series, which has no vocabulary", DECODER,
        types="autoformer chronos informer moirai patchtsmixer patchtst time_series_transformer timesfm timesfm2_5 "
        "tinytimemixer", classes=r"\w+ForPrediction"),
)  # fmt: skip

_BY_TYPE = {name: row for row in ROWS for name in row.types.split()}
_BY_CLASS = [(re.compile(row.classes), row) for row in ROWS if row.classes]
NAMED = ("_class_name", "peft_type", "model_type")  # what a thing calls itself, best first
_FRAME = ("model_type", "architectures", "hidden_size", "num_hidden_layers", "d_model", "n_layer", "n_layers")


def refuse_no_decoder(text: Mapping, top: Mapping, known: bool) -> None:
    """ConfigError if the text part or the whole file is no decoder; `known`: its class is one that is read here."""
    sized = any(part.get(key) for part in (text, top) for key in _FRAME)
    for part in (text, top) if text is not top else (text,):
        row, name = (None, "") if known else by_name(part)
        row = row or by_key(part, sized)
        if row:
            name = name or next((part[key] for key in NAMED if isinstance(part.get(key), str)), "")
            raise ConfigError(f"{short(name) if name else 'This file'} is {row.says}. {row.do}")


def by_name(part: Mapping) -> tuple[Row | None, str]:
    """The row of a class or of a model_type, and the name that gave it away."""
    names, kind = part.get("architectures"), part.get("model_type")
    first = names[0] if isinstance(names, list) and names else None
    if isinstance(first, str) and len(first) <= 200:
        row = next((row for pattern, row in _BY_CLASS if pattern.fullmatch(first)), None)
        if row:
            return row, first
    return (_BY_TYPE[kind], kind) if isinstance(kind, str) and kind in _BY_TYPE else (None, "")


def by_key(part: Mapping, sized: bool) -> Row | None:
    """The row whose telltale keys are all there; a file beside config.json names no model and has no sizes."""
    for row in ROWS:
        if not (row.file and sized) and any(all(key in part for key in keys.split()) for keys in row.keys):
            return row
    return _BY_TYPE["t5"] if part.get("is_encoder_decoder") is True else None
