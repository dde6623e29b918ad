"""One file per model_type that needs one; found by name, loaded only when a config asks for it.

`find` goes from (architectures[0], model_type) to a Family. ALIASES lists names that are another file's class.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from os.path import dirname
from pkgutil import iter_modules

from cutaway.gallery.reading.family import Family

ALIASES = {  # model_type, or the stem of an architecture, squeezed -> file
    "yi": "llama", "aquila": "llama", "vicuna": "llama", "smollm": "llama",
    "decilm": "nemotron_nas", "mistral3text": "mistral", "pixtral": "mistral",
    "mistral3": "mistral", "voxtral": "mistral", "ministral": "mistral", "ministral3": "mistral",
    "codellama": "llama", "llavaqwen": "qwen2", "llava": "llama", "llavanext": "llama",
    "xverse": "llama", "qwen2vl": "qwen2", "qwen2vltext": "qwen2", "qwen25vl": "qwen2",
    "qwen25vltext": "qwen2", "qwen2audio": "qwen2", "qwen25omni": "qwen2", "qwen25omnithinker": "qwen2",
    "qwen25omnitext": "qwen2", "mimovl": "mimo", "qwen3vl": "qwen3", "qwen3vltext": "qwen3",
    "qwen3vlmoetext": "qwen3_vl_moe", "qwen3omnimoetext": "qwen3_moe",
    "qwen3omnimoethinker": "qwen3_moe", "qwen3omnimoe": "qwen3_moe", "qwen35text": "qwen3_5", "qwen35moe": "qwen3_5",
    "qwen35moetext": "qwen3_5", "qwen36": "qwen3_5", "kimik2": "deepseek_v3", "kimik25": "deepseek_v3",
    "kimivl": "deepseek_v3", "deepseekvlv2": "deepseek_v2", "deepseekvl2": "deepseek_v2", "kimik3": "kimi_linear",
    "deepseekref": "deepseek_v4", "gemma3text": "gemma3", "gemma4text": "gemma4", "gemma4unified": "gemma4",
    "gemma4unifiedtext": "gemma4", "gemma3ntext": "gemma3n",
    "paligemma": "gemma", "shieldgemma2": "gemma3", "llama4text": "llama4",
    "mllamatext": "mllama", "mllamatextmodel": "mllama", "minimaxm1": "minimax", "minimaxtext01": "minimax",
    "minimaxm3vl": "minimax_m3", "minimaxm3sparse": "minimax_m3", "minimaxm3vltext": "minimax_m3",
    "hunyuanv1moe": "hunyuan", "hunyuanv1dense": "hunyuan",
    "hunyuanmoev1": "hunyuan", "hunyuandensev1": "hunyuan", "grok1": "grok", "grok2": "grok",
    "museglimmertext": "muse_glimmer",
    "emu3textmodel": "llama", "molmo2text": "molmo2",
    "step3p7text": "step3p7", "step3p7flash": "step3p7", "mimov2flash": "mimo_v2",
    "bailingmoelinear": "bailing_moe_v2_5", "bailingmoev3": "bailing_hybrid",
    "bailingmoelinearv2": "bailing_moe_v2_5",
    "granitemoeshared": "granitemoe",
    "phi3v": "phi3", "phi4multimodal": "phi3", "phi4mm": "phi3",
    "glm4vmoe": "glm4_moe", "glm4vmoetext": "glm4_moe",
    "chatglm4": "chatglm", "qwenlm": "qwen",
    "codestralmamba": "mamba2", "lfm2moe": "lfm2", "lfm2vl": "lfm2",
    "ernie45moe": "ernie4_5", "ernie45vlmoetext": "ernie4_5_vl_moe",
    "internlm3": "llama", "emu3": "llama",
    "iquestcoder": "llama", "youtu": "deepseek_v3", "youtullm": "deepseek_v3",
    "qwen4exptext": "qwen4_exp",
    "refinedweb": "falcon", "refinedwebmodel": "falcon", "rw": "falcon", "stablelmalpha": "gpt_neox",
    "stablelmepoch": "stablelm", "gptsw3": "gpt2",
    "multimodality": "llama", "janus": "llama", "internvlchat": "llama",
    "cohere2vision": "cohere2", "ayavision": "cohere2",
    "trinity": "afmoe",
    "longcatflashngram": "longcat_flash",
    "musesparktext": "muse_spark", "ariatext": "aria", "ariamoelm": "aria",
    "glm4vtext": "glm4v", "glm46v": "glm4v", "glmocrtext": "glm_ocr",
    "glmimagetext": "glm_image", "paddleocrvltext": "paddleocr_vl", "exaone45": "exaone4", "exaone45text": "exaone4",
    "hunyuanvl": "hunyuan", "hunyuanvltext": "hunyuan", "cosmos3edgetext": "cosmos3_edge",
    "granite4vision": "granite", "granite4visiontext": "granite", "granitedocling": "granite",
    "granitedoclingtext": "granite",
    "inklingtext": "inkling", "inkling2text": "inkling2",
    "step3vl": "step3", "step3text": "step3",
    "h2ovlchat": "mistral", "moondream1": "moondream", "hfmoondream": "moondream", "telechat2": "telechat",
    "diffucoder": "dream", "llada2moemodellm": "llada2_moe", "lladamodellm": "llada",
    "dots3notetext": "dots3_note", "deepseekocr2text": "deepseek_ocr2",
    "glm5nexttext": "glm5_next", "mistrallarge4text": "mistral_large4",
    "qwen3asr": "qwen3", "qwen3asrthinker": "qwen3", "qwen3asrtext": "qwen3",
    }  # fmt: skip

VERSIONS = {  # model_type -> version -> file: the language models inside one wrapper (openbmb/MiniCPM-V-*, model cards)
    "minicpmv": {"2.0": "minicpm", "2.5": "llama", "2.6": "qwen2", "4.0": "llama", "4.5": "qwen3"},
    "minicpmo": {"2.6": "qwen2", "4.5": "qwen3"},
}

SHARED = frozenset((  # (class's file, model_type) where one model_type has two architectures: the class decides
    ("bailing_moe_v2_5", "bailing_hybrid"),  # Ling 2.5 and 3
    ("mistral_large3", "deepseek_v3"),  # as vLLM writes params.json
))  # fmt: skip

_SUFFIX = re.compile(
    r"(Sparse)?(For(CausalLM|ConditionalGeneration|SequenceClassification|TokenClassification|TextToText|QuestionAnswering)"
    r"|LMHeadModel|LMHead|CausalLM|Model)(NextN)?$"
)


def squeeze(name: str) -> str:
    """A name without case and separators, so that Qwen3MoeForCausalLM and qwen3_moe can meet."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


@cache
def files() -> dict[str, str]:
    """Squeezed name -> file, for every file of this folder."""
    stems = {info.name for info in iter_modules([dirname(__file__)])}
    return {squeeze(stem): stem for stem in sorted(stems)}


@cache
def load(stem: str) -> Family:
    """The Family of one file."""
    return import_module(f"{__name__}.{stem}").FAMILY


def stem_of(name: object, architecture: bool = False) -> str:
    """The file that a model_type or an architecture belongs to, or ""."""
    if not isinstance(name, str) or not name or len(name) > 200:
        return ""
    word = squeeze(_SUFFIX.sub("", name) if architecture else name)
    known = files()
    return known.get(ALIASES.get(word, word).replace("_", ""), "")


def of_version(part: Mapping) -> str:
    """The architecture inside a wrapper that changed it from version to version, or ""."""
    named = part.get("model_type")
    inner = VERSIONS.get(named, {}) if isinstance(named, str) else {}
    version = part.get("version")
    return inner.get(str(version)[:10], "") if isinstance(version, str | int | float) else ""


def find(candidates: list[tuple[object, object]]) -> tuple[str, str]:
    """(file, contradiction): part by part, the text part first; in each the architecture wins over the model_type."""
    for architecture, model_type in candidates:
        by_class, by_type = stem_of(architecture, True), stem_of(model_type)
        if by_class and by_type and by_class != by_type and (by_class, model_type) not in SHARED:
            return by_class, f"{architecture} and {model_type} name two architectures; {architecture} was read."
        if by_type and not by_class and isinstance(architecture, str):
            return by_type, f"{architecture[:80]} is no class known here; it was read as {model_type}."
        if by_class or by_type:
            return by_class or by_type, ""
    return "", ""
