"""Towers by a second route: the shapes of every tensor of a tiny tower, written out and summed."""

from math import prod

import pytest

from cutaway.gallery.reading.towers import find_towers

H, F, D, TEXT = 8, 24, 3, 10  # width, MLP, depth; the language model's width
VIT = {"hidden_size": H, "num_hidden_layers": D, "intermediate_size": F}


def linear(a, b, bias=True):
    """Shapes of a matrix and its bias."""
    return [(b, a), (b,)] if bias else [(b, a)]


def norm(width, bias=True):
    return [(width,), (width,)] if bias else [(width,)]


def layer(h=H, f=F, bias=True):
    """A ViT layer: q, k, v, o, two matrices of the MLP, two norms."""
    return linear(h, h, bias) * 4 + linear(h, f) + linear(f, h) + norm(h) * 2


def gated(h=H, f=F, bias=True):
    """The same with a gate and RMSNorm."""
    return linear(h, h, bias) * 4 + linear(h, f, bias) * 2 + linear(f, h, bias) + norm(h, False) * 2


MERGER = [*linear(4 * H, 4 * H), *linear(4 * H, TEXT)]
QWEN2 = {"embed_dim": H, "hidden_size": TEXT, "depth": D}
QWEN25 = {"hidden_size": H, "depth": D, "intermediate_size": F, "out_hidden_size": TEXT}
KIMI = [*layer() * D, *linear(3 * 14 * 14, H), *norm(H) * 2, *linear(4 * H, 4 * H), *linear(4 * H, TEXT)]
SQUARE = {"image_size": 6, "patch_size": 2}
LLAMA4 = [*layer() * D, (3, 14, 14, H), (H,), (24 * 24 + 1, H), *norm(H) * 2]
MLLAMA = {**VIT, "supported_aspect_ratios": [[1, 1], [1, 2]], "intermediate_layers_indices": [1]}
PIXTRAL = [*gated(bias=False) * D, (3, 14, 14, H), (H,)]
GEMMA4 = {**VIT, "head_dim": 4, "num_attention_heads": 6, "position_embedding_size": 5}
MUSE = {**VIT, "patch_size": 2, "pos_emb_height": 4, "pos_emb_width": 5}


def mllama(rows, tiles, places, last):
    """Tables of tiles and positions, plain layers and gated ones."""
    tables = [(places, H), (rows, tiles, places, H), (1,), (rows, tiles, H), (1,), (rows, tiles, H), (1,)]
    layers = layer(bias=False) * (D + last) + [(1,), (1,)] * last
    return [*layers, (H, 3, 14, 14), (H,), *tables, *norm(H) * 2, *linear(2 * H, TEXT)]


def gemma4(kv):
    """Gated, two norms around each half, norms on the heads, a table for each axis."""
    attention = [(24, H), (4 * kv, H), (4 * kv, H), (H, 24), (4,), (4,)]
    one = [*attention, (F, H), (F, H), (H, F), *norm(H, False) * 4]
    return [*one * D, (3, 16, 16, H), (2, 5, H), (H, TEXT)]


TOWERS = [  # (zoo, vision_config, keys beside it, shapes)
    ("qwen2_vl", QWEN2, {}, layer(f=4 * H) * D + [(3, 2, 14, 14, H)] + norm(H) + MERGER),
    ("qwen2_vl", QWEN25, {}, gated() * D + [(3, 2, 14, 14, H)] + norm(H, False) + MERGER),
    ("qwen2_vl", {**QWEN2, "mlp_ratio": 3, "patch_size": 5, "temporal_patch_size": 1, "spatial_merge_size": 1}, {},
     layer() * D + [(3, 5, 5, H)] + norm(H) + linear(H, H) + linear(H, TEXT)),
    ("qwen3_vl", {**VIT, "out_hidden_size": TEXT}, {},
     layer() * D + linear(3 * 2 * 16 * 16, H) + [(2304, H)] + norm(H) + MERGER),
    ("qwen3_vl", {**VIT, "out_hidden_size": TEXT, "deepstack_visual_indexes": [0, 2], "num_position_embeddings": 9}, {},
     layer() * D + linear(3 * 2 * 16 * 16, H) + [(9, H)] + norm(H) + MERGER + (norm(4 * H) + MERGER) * 2),
    ("siglip", {**VIT, "model_type": "siglip_vision_model"}, {},
     layer() * D + linear(3 * 14 * 14, H) + [(64 * 64, H)] + norm(H) + norm(H, False) + [(H, TEXT)]),
    ("", {**VIT, "model_type": "clip_vision_model"}, {},
     layer() * D + [(H, 3, 14, 14), (H,), (24 * 24 + 1, H)] + norm(H) * 2 + linear(H, TEXT) + linear(TEXT, TEXT)),
    ("siglip", {**VIT, **SQUARE, "model_type": "clip_vision_model"}, {},
     layer() * D + [(H, 3, 2, 2), (H,), (10, H)] + norm(H) * 2 + linear(H, TEXT) + linear(TEXT, TEXT)),
    ("kimi_vit", VIT, {}, [*KIMI, (64, 64, H)]),
    ("kimi_vit", {**VIT, "pos_emb_height": 3, "pos_emb_width": 5}, {}, [*KIMI, (3, 5, H)]),
    ("pixtral", VIT, {}, PIXTRAL + linear(H, TEXT) + linear(TEXT, TEXT)),
    ("", {**VIT, "model_type": "pixtral"}, {"spatial_merge_size": 2},
     [*PIXTRAL, (H,), (4 * H, H), (H, TEXT), (TEXT, TEXT)]),
    ("", {**VIT, "model_type": "pixtral"}, {"spatial_merge_size": 3, "multimodal_projector_bias": True},
     [*PIXTRAL, (H,), (9 * H, H), *linear(H, TEXT), *linear(TEXT, TEXT)]),
    ("llama4", VIT, {}, [*LLAMA4, (4 * H, 4096), (4096, 4096), (4096, TEXT)]),
    ("llama4", {**VIT, "projector_input_dim": 6, "projector_output_dim": 7, "pixel_shuffle_ratio": 1.0}, {},
     [*LLAMA4, (H, 6), (6, 7), (7, TEXT)]),
    ("mllama", MLLAMA, {}, mllama(3, 4, 1601, 8)),
    ("mllama", {**MLLAMA, "max_num_tiles": 2, "num_global_layers": 1, "image_size": 28}, {}, mllama(3, 2, 5, 1)),
    ("gemma4_vision", GEMMA4, {}, gemma4(6)),
    ("gemma4_vision", {**GEMMA4, "num_key_value_heads": 2}, {}, gemma4(2)),
    ("minimax_m3", VIT, {}, layer() * D + [(H, 3, 2, 14, 14)] + norm(H) + linear(H, TEXT) + linear(TEXT, TEXT) * 2
     + linear(4 * TEXT, TEXT)),
    ("minimax_m3", VIT, {"projector_hidden_size": 6}, layer() * D + [(H, 3, 2, 14, 14)] + norm(H) + linear(H, 6)
     + linear(6, TEXT) + linear(4 * TEXT, 6) + linear(6, TEXT)),
    ("muse", MUSE, {"projector_hidden_size": 6}, layer() * D + [(H, 3, 2, 2, 2), (4, 5, H)] + norm(H) * 2
     + [(4 * H, 6), (6, 6), (6, TEXT)]),
]  # fmt: skip


@pytest.mark.parametrize(("zoo", "vision", "beside", "shapes"), TOWERS)
def test_a_tower_has_the_numbers_of_its_tensors(zoo, vision, beside, shapes):
    """Tiny towers with and without the keys that have defaults: the sum over shapes written out by hand."""
    (tower,) = find_towers({"vision_config": vision, **beside}, TEXT, zoo)
    assert sum(prod(shape) for shape in shapes) == tower.parameters
    assert (tower.num_hidden_layers, tower.name) == (D, "vision_config")


SILENT = [
    ("llama4", {**VIT, "pixel_shuffle_ratio": 0}), ("llama4", {**VIT, "pixel_shuffle_ratio": 1.5}),
    ("llama4", {**VIT, "pixel_shuffle_ratio": "a"}), ("mllama", VIT), ("muse", VIT),
    ("kimi_vit", {**VIT, "attn_bias": 1}),
    ("mllama", {**MLLAMA, "supported_aspect_ratios": 3}), ("mllama", {**MLLAMA, "intermediate_layers_indices": 3}),
    ("siglip", {**VIT, "model_type": "other"}), ("", VIT), ("pixtral", {**VIT, "hidden_size": 0}),
    ("pixtral", {**VIT, "hidden_size": True}), ("pixtral", {**VIT, "hidden_size": 10**6 + 1}),
]  # fmt: skip


@pytest.mark.parametrize(("zoo", "vision"), SILENT)
def test_what_a_file_does_not_say_is_not_counted(zoo, vision):
    """Where a size is missing or unbelievable a tower is a named box without a number."""
    (tower,) = find_towers({"vision_config": vision}, TEXT, zoo)
    assert tower.parameters is None


def test_every_part_beside_the_text_is_a_tower():
    """Audio and video parts are named and not counted; empty parts are none."""
    config = {"audio_config": {"d_model": 5, "layers": 2, "name": "ear"}, "video_config": {}, "vision_config": VIT}
    assert [
        (t.name, t.model_type, t.num_hidden_layers, t.hidden_size, t.parameters) for t in find_towers(config, TEXT, "")
    ] == [
        ("vision_config", "", 3, 8, None),
        ("audio_config", "ear", 2, 5, None),
    ]


def test_a_strange_name_of_a_tower_is_cut_short():
    """Eighty letters are enough for a box."""
    (tower,) = find_towers({"vision_config": {"model_type": "x" * 200}}, TEXT, "")
    assert tower.model_type == "x" * 80
