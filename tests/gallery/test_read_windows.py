"""sliding_window: which classes read it, and what is said of a file that states one for a class that has none."""

import pytest

from cutaway.gallery import memory, read
from cutaway.gallery.reading import families
from cutaway.gallery.running.proofs import proof

LLAMA = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 4096, "intermediate_size": 14336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256,
}  # fmt: skip
WINDOW = {"sliding_window": 4096}
SMALL = {
    "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4, "num_attention_heads": 4,
    "num_key_value_heads": 2, "vocab_size": 100,
}  # fmt: skip
# transformers 5.23.0: `grep -l sliding_window models/<x>/modeling_<x>.py`, and what those that have it do with it
WITHOUT = (
    "apertus", "arcee", "bitnet", "cohere", "diffllama", "ernie4_5", "gemma", "glm", "glm4", "gpt_neox", "gptj",
    "granite", "helium", "internlm3", "iquestcoder", "jais2", "llama", "nanochat", "nemotron", "olmo", "olmo2", "phi",
    "paddleocr_vl_text", "persimmon", "qwen3_vl_text", "seed_oss", "stablelm",
)  # fmt: skip
EVERY = ("ministral", "ministral3", "mistral", "phi3", "starcoder2")
SWITCHED = ("qwen2", "qwen3", "qwen2_vl_text", "qwen2_5_vl_text", "mimo")  # from max_window_layers on


def windows(config: dict) -> list[int]:
    """The window of each layer."""
    return [layer.mixer.sliding_window for layer in read(config).layers]


def of(model_type: str, **keys: object) -> dict:
    return {**SMALL, "model_type": model_type, "sliding_window": 16, **keys}


@pytest.mark.parametrize("model_type", WITHOUT)
@pytest.mark.parametrize("keys", [{}, {"use_sliding_window": True}, {"layer_types": ["sliding_attention"] * 4}])
def test_a_class_without_a_window_draws_none_and_says_so(model_type, keys):
    """Neither the key, nor the switch beside it, nor words per layer give attention a window that its code lacks."""
    config = of(model_type, **keys)
    assert windows(config) == [0] * 4
    said = [one for one in read(config).contradictions if "sliding_window" in one]
    assert len(said) == 1 and said[0].startswith("sliding_window = 16 is not read by the class: its attention has no")


@pytest.mark.parametrize("model_type", EVERY)
def test_a_class_with_a_window_has_it_in_every_layer(model_type):
    """Mistral and its like: the key alone decides."""
    assert windows(of(model_type)) == [16] * 4
    assert read(of(model_type)).contradictions == ()


@pytest.mark.parametrize("model_type", SWITCHED)
def test_a_class_with_a_switch_goes_by_it(model_type):
    """Qwen's: off without the switch, on in the last layers with it."""
    on = {"use_sliding_window": True, "max_window_layers": 3}
    assert windows(of(model_type, **on)) == [0, 0, 0, 16]
    assert windows(of(model_type, use_sliding_window=False, max_window_layers=3)) == [0] * 4


@pytest.mark.parametrize("model_type", ["mixtral", "phimoe", "qwen3_moe"])
def test_experts_beside_change_nothing(model_type):
    """The window is a fact of attention."""
    experts = {"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "use_sliding_window": True}
    assert windows(of(model_type, **experts)) == [16] * 4


def test_only_one_of_two_classes_of_a_family_may_have_it():
    """Qwen3-VL-MoE is Qwen3-MoE without the window, and so is the thinker of Qwen3-Omni."""
    experts = {"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "use_sliding_window": True}
    for model_type in ("qwen3_vl_moe_text", "qwen3_omni_moe_text"):
        assert windows(of(model_type, **experts)) == [0] * 4


def test_a_window_that_is_switched_off_contradicts_nothing():
    """A size that stays in the file while the switch says no is no claim."""
    for keys in ({"use_sliding_window": False}, {"sliding_window": None}, {"sliding_window": 0}):
        assert read(of("llama", **keys)).contradictions == ()


def test_llama_keeps_everything_and_stays_proved():
    """17.2 GB at 131,072 tokens, as without the key; the wiring that is drawn is the one that ran."""
    spec = read({**LLAMA, **WINDOW})
    assert memory(spec, 131_072).total_bytes == memory(read(LLAMA), 131_072).total_bytes == 17_179_869_184
    assert proof(spec).proved


def test_a_file_that_no_family_is_known_for_is_taken_at_its_word():
    """Nothing is known of its class."""
    assert windows(of("brand_new")) == [16] * 4


def test_smollm3_has_windows_where_nothing_is_rotated():
    """Its class gives the window to every fourth layer, those without rotary position, and only if switched on."""
    assert windows(of("smollm3", use_sliding_window=True)) == [0, 0, 0, 16]
    assert windows(of("smollm3")) == [0] * 4


def test_minimax_has_windows_in_its_layers_of_softmax_attention():
    """The others keep a state."""
    experts = {"num_experts": 8, "num_experts_per_tok": 2, "layer_types": ["full_attention", "linear_attention"] * 2}
    mixers = [layer.mixer for layer in read(of("minimax", **experts)).layers]
    assert [getattr(mixer, "sliding_window", None) for mixer in mixers] == [16, None, 16, None]


def test_a_pattern_of_its_own_is_a_window_of_its_own():
    """A family whose defaults say which layers are windowed reads the size too."""
    for stem in families.files().values():
        family = families.load(stem)
        if "sliding_window_pattern" in family.defaults:
            assert family.windowed, stem


def test_a_window_as_long_as_the_text_is_none():
    """Phi-3 mini 128k states twice its context: no token is hidden, the file is told so, and one token less is."""
    wide = read(of("phi3", max_position_embeddings=16))
    assert [layer.mixer.sliding_window for layer in wide.layers] == [0] * 4
    assert "A window of 16 tokens covers the whole context of 16" in " ".join(wide.notes)
    assert windows(of("phi3", max_position_embeddings=17)) == [16] * 4
    assert windows(of("phi3")) == [16] * 4
