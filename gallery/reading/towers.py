"""From the parts of a config beside the language model to Towers: named boxes, counted where the config says enough.

Each counter is a sum of matrices, checked to the last number against the measured totals (tests/oracle). A tower's
parameters include the projector that leads into the language model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cutaway.gallery.spec import Tower

NAMES = (
    "vision_config",
    "audio_config",
    "speech_config",
    "img_processor",
    "video_config",
    "gen_vision_config",
    "vision_encoder",
    "vision_tower_cfg",
    "visual_tokenizer_config",
    "vit_config",
)
DEPTH = ("num_hidden_layers", "depth", "layers", "vt_num_hidden_layers")
WIDTH = ("hidden_size", "embed_dim", "width", "vt_hidden_size", "image_dim_out", "d_model")


class Short(Exception):
    """The config does not say enough to count this tower."""


class Part:
    """One dict of the config, asked for whole numbers only."""

    def __init__(self, values: Mapping) -> None:
        self.values = values

    def find(self, *names: str) -> int | None:
        """The first of these keys that holds a believable size."""
        for name in names:
            value = self.values.get(name)
            if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= 10**6:
                return value
        return None

    def need(self, *names: str, default: int | None = None) -> int:
        """The same, or Short."""
        value = self.find(*names)
        value = default if value is None else value
        if value is None:
            raise Short(names[0])
        return value


def layer_norm(h: int) -> int:
    """Weight and bias."""
    return 2 * h


def matrix(a: int, b: int, bias: bool = True) -> int:
    """A linear layer."""
    return a * b + (b if bias else 0)


def block(h: int, f: int, bias: bool = True) -> int:
    """The ViT layer: attention with four matrices, a two-matrix MLP with biases, two LayerNorms."""
    return 4 * matrix(h, h, bias) + matrix(h, f) + matrix(f, h) + 2 * layer_norm(h)


def frame(part: Part) -> tuple[int, int, int]:
    """(width, depth, MLP width)."""
    h = part.need(*WIDTH)
    return h, part.need(*DEPTH), part.need("intermediate_size", "vt_intermediate_size", default=4 * h)


def qwen2_vl(part: Part, top: Part, text: int) -> int:
    """Qwen2-VL (embed_dim) and Qwen2.5-VL (gated MLP, RMSNorm): a 2-frame patch, a merger of 2 x 2 patches."""
    p, t, c = part.need("patch_size", default=14), part.need("temporal_patch_size", default=2), 3
    depth, m2 = part.need("depth"), part.need("spatial_merge_size", default=2) ** 2
    if part.find("embed_dim"):
        h, out = part.need("embed_dim"), part.need("hidden_size")
        layers, norm = depth * block(h, h * part.need("mlp_ratio", default=4)), layer_norm(h)
    else:
        h, f, out = part.need("hidden_size"), part.need("intermediate_size"), part.need("out_hidden_size")
        gated = 2 * matrix(h, f) + matrix(f, h)
        layers, norm = depth * (4 * matrix(h, h) + gated + 2 * h), h
    return layers + c * t * p * p * h + norm + matrix(h * m2, h * m2) + matrix(h * m2, out)


def qwen3_vl(part: Part, top: Part, text: int) -> int:
    """Qwen3-VL to 3.6: a table of positions, and one more merger for each layer that DeepStack taps."""
    h, depth, f = frame(part)
    p, t, out = (
        part.need("patch_size", default=16),
        part.need("temporal_patch_size", default=2),
        part.need("out_hidden_size"),
    )
    m = h * part.need("spatial_merge_size", default=2) ** 2
    taps = part.values.get("deepstack_visual_indexes")
    taps = len(taps) if isinstance(taps, list) else 0
    ends = matrix(m, m) + matrix(m, out)
    positions = part.need("num_position_embeddings", default=2304) * h
    return (
        depth * block(h, f)
        + matrix(3 * t * p * p, h)
        + positions
        + layer_norm(h)
        + ends
        + taps * (layer_norm(m) + ends)
    )


def patches(part: Part, image: int, patch: int) -> int:
    """How many patches an image has."""
    return (part.need("image_size", default=image) // part.need("patch_size", default=patch)) ** 2


def siglip(part: Part, top: Part, text: int) -> int:
    """SigLIP, then Gemma 3's norm and projection."""
    h, depth, f = frame(part)
    p = part.need("patch_size", default=14)
    tower = depth * block(h, f) + matrix(3 * p * p, h) + patches(part, 896, 14) * h + layer_norm(h)
    return tower + h + h * text


def clip(part: Part, top: Part, text: int) -> int:
    """CLIP, then LLaVA's two matrices."""
    h, depth, f = frame(part)
    p = part.need("patch_size", default=14)
    tower = depth * block(h, f) + 3 * p * p * h + h + (patches(part, 336, 14) + 1) * h + 2 * layer_norm(h)
    return tower + matrix(h, text) + matrix(text, text)


def kimi_vit(part: Part, top: Part, text: int) -> int:
    """MoonViT, then a norm and two matrices over 2 x 2 patches."""
    if "attn_bias" in part.values:
        raise Short("attn_bias")  # Kimi K3's variant has not been measured
    h, depth, f = frame(part)
    p = part.need("patch_size", default=14)
    grid = part.need("init_pos_emb_height", "pos_emb_height", default=64) * part.need(
        "init_pos_emb_width", "pos_emb_width", default=64
    )
    m = 4 * h
    tower = depth * block(h, f) + matrix(3 * p * p, h) + grid * h + layer_norm(h)
    return tower + layer_norm(h) + matrix(m, m) + matrix(m, text)


def pixtral(part: Part, top: Part, text: int) -> int:
    """Pixtral's gated ViT without biases; Mistral 3 merges 2 x 2 patches before projecting."""
    h, depth, f = frame(part)
    p = part.need("patch_size", default=14)
    tower = depth * (4 * h * h + 3 * h * f + 2 * h) + 3 * p * p * h + h
    merge = top.find("spatial_merge_size")
    if not merge:
        return tower + matrix(h, text) + matrix(text, text)
    bias = top.values.get("multimodal_projector_bias") is True
    return tower + h + merge * merge * h * h + matrix(h, text, bias) + matrix(text, text, bias)


def llama4(part: Part, top: Part, text: int) -> int:
    """Llama 4's ViT: a class token, learned positions, pixel shuffle into a two-matrix adapter."""
    h, depth, f = frame(part)
    p, inner = part.need("patch_size", default=14), part.need("projector_input_dim", default=4096)
    out = part.need("projector_output_dim", default=inner)
    ratio = part.values.get("pixel_shuffle_ratio", 0.5)
    if not isinstance(ratio, float) or not 0.1 <= ratio <= 1:
        raise Short("pixel_shuffle_ratio")
    adapter = int(h / ratio**2) * inner + inner * out
    ends = 3 * p * p * h + h + (patches(part, 336, 14) + 1) * h + 2 * layer_norm(h)
    return depth * block(h, f) + ends + adapter + out * text


def mllama(part: Part, top: Part, text: int) -> int:
    """Llama 3.2 Vision: tiles with positions of their own, then eight gated global layers."""
    h, depth, f = frame(part)
    p, tiles = part.need("patch_size", default=14), part.need("max_num_tiles", default=4)
    last, shapes = part.need("num_global_layers", default=8), part.values.get("supported_aspect_ratios")
    taken = part.values.get("intermediate_layers_indices")
    if not isinstance(shapes, list) or not isinstance(taken, list):
        raise Short("supported_aspect_ratios")
    rows, places = len(shapes) + 1, patches(part, 560, 14) + 1
    tables = places * h + rows * tiles * places * h + 1 + 2 * (rows * tiles * h + 1)
    layers = depth * block(h, f, bias=False) + last * (block(h, f, bias=False) + 2)
    return layers + 3 * p * p * h + h + tables + 2 * layer_norm(h) + matrix(h * (1 + len(taken)), text)


def gemma4_vision(part: Part, top: Part, text: int) -> int:
    """Gemma 4's ViT: gated, RMSNorm around each half, norms on heads, a table of positions for each axis."""
    h, depth, f = frame(part)
    d, heads = part.need("head_dim"), part.need("num_attention_heads")
    kv, p = part.need("num_key_value_heads", default=heads), part.need("patch_size", default=16)
    layer = 2 * h * heads * d + 2 * h * kv * d + 2 * d + 3 * h * f + 4 * h
    return depth * layer + 3 * p * p * h + 2 * part.need("position_embedding_size") * h + h * text


def minimax_m3(part: Part, top: Part, text: int) -> int:
    """A CLIP-like ViT over two frames, then four matrices."""
    h, depth, f = frame(part)
    p, out = part.need("patch_size", default=14), top.need("projector_hidden_size", default=text)
    ends = matrix(h, out) + matrix(out, text) + matrix(4 * text, out) + matrix(out, text)
    return depth * block(h, f) + 3 * 2 * p * p * h + layer_norm(h) + ends


def muse(part: Part, top: Part, text: int) -> int:
    """Muse Glimmer's ViT and its adapter."""
    h, depth, f = frame(part)
    p, t, inner = part.need("patch_size"), part.need("patch_temporal", default=2), top.need("projector_hidden_size")
    grid = part.need("pos_emb_height") * part.need("pos_emb_width")
    adapter = h * part.need("merge_size", default=2) ** 2 * inner + inner * inner
    return depth * block(h, f) + 3 * t * p * p * h + grid * h + 2 * layer_norm(h) + adapter + inner * text


COUNTERS: dict[str, Callable[[Part, Part, int], int]] = {  # the family's zoo, or the tower's own model_type -> counter
    "qwen2_vl": qwen2_vl, "qwen3_vl": qwen3_vl, "siglip": siglip, "kimi_vit": kimi_vit, "pixtral": pixtral,
    "llama4": llama4, "mllama": mllama, "gemma4_vision": gemma4_vision, "minimax_m3": minimax_m3, "muse": muse,
    "clip_vision_model": clip,
}  # fmt: skip


def count(part: Part, top: Part, text: int, zoo: str) -> int | None:
    """Parameters of a tower with its projector, or None where the config does not say enough."""
    own = str(part.values.get("model_type") or "")
    counter = COUNTERS.get("pixtral" if own == "pixtral" else zoo) or COUNTERS.get(own)
    if zoo == "siglip" and own != "siglip_vision_model":
        counter = COUNTERS.get(own)
    try:
        return counter(part, top, text) if counter else None
    except Short:
        return None


def find_towers(top: Mapping, text_width: int, zoo: str) -> tuple[Tower, ...]:
    """One Tower per other network that the config describes."""
    out = []
    for name in NAMES:
        values = top.get(name)
        if isinstance(values, Mapping) and values:
            part = Part(values)
            size = count(part, Part(top), text_width, zoo) if name == "vision_config" else None
            kind = str(values.get("model_type") or values.get("name") or "")[:80]
            out.append(Tower(name, kind, part.find(*DEPTH), part.find(*WIDTH), size))
    return tuple(out)
