"""Whether the head is the embedding table: said by the text part, by the wrapper around it, or by the wrapper's class.

A wrapper of transformers holds the head itself: its key and its class's default decide (5.23.0, configuration
files), and some classes take a "true" of the text part too. A wrapper of remote code holds a whole language model:
then that one's key decides.
"""

from __future__ import annotations

from collections.abc import Mapping

from cutaway.gallery.reading.reading import Reading

_TIED = """aya_vision cohere2_vision deepseek_vl deepseek_vl_hybrid diffusion_gemma ernie4_5_vl_moe fun_asr_nano gemma3
 gemma3n gemma4 gemma4_unified glmasr got_ocr2 granite_docling granite_speech granite_speech_plus hunyuan_vl
 hyperclovax_vision_v2 internvl janus kosmos-2 kosmos-2.5 lfm2_vl lfm3_vl lighton_ocr minicpm_ocr
 moss_transcribe_diarize ovis2 paddleocr_vl paligemma pp_chart2table qwen3_asr voxtral_realtime"""
_APART = """aria cohere_compass cosmos3_edge cosmos3_omni deepseek_ocr2 dots3_note emu3 exaone4_5 fast_vlm fuyu glm46v
 glm4v glm4v_moe glm5_next glm_image glm_ocr glmga granite4_vision idefics2 idefics3 llama4 llava llava_next
 llava_next_video llava_onevision minicpmv4_6 minicpmv4_7 minimax_m3_vl mistral_large4 molmo2 qianfan_ocr
 qwen2_5_omni_thinker qwen2_5_vl qwen2_vl qwen3_5 qwen3_5_moe qwen3_omni_moe_thinker qwen3_vl qwen3_vl_moe qwen4_exp
 shieldgemma2 smolvlm unlimited_ocr video_llama_3 video_llava vipllava"""
WRAPPERS = {
    **dict.fromkeys(_TIED.split(), True),
    **dict.fromkeys(_APART.split(), False),
    "mistral3": False,  # its class says true, but the published files leave the key out and store a head of their own
    "qwen2_5_omni": False,  # the thinker's class decides
    "qwen3_omni_moe": False,
}
_EITHER = """dots3_note fast_vlm glm4v glm4v_moe glm_ocr hunyuan_vl lfm2_vl llava llava_next_video llava_onevision
 minimax_m3_vl paddleocr_vl qwen2_5_vl qwen2_vl shieldgemma2 video_llama_3"""
EITHER = frozenset(_EITHER.split())


def is_tied(r: Reading, top: Mapping) -> bool:
    """Whether the head is the embedding table."""
    name, inner = "tie_word_embeddings", r.facts.flag("tie_word_embeddings")
    wrapper = top.get("model_type")
    if not r.nested or not isinstance(wrapper, str) or wrapper not in WRAPPERS:
        return inner
    said, outer = isinstance(r.facts.text.get(name), bool), top.get(name)
    if not isinstance(outer, bool):
        return inner if said else WRAPPERS[wrapper]
    won = inner or outer if wrapper in EITHER else outer
    if said and inner != outer:
        words = "true" if won else "false"
        r.contradictions.append(
            f"{name} is not the same in the text part and beside it; {words} was used, as the class does."
        )
    return won
