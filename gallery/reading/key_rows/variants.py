"""Keys of multi-token prediction, and of variants that change shapes."""

from __future__ import annotations

from cutaway.gallery.reading.key_rows.row import Key

ROWS = (
    # ---- multi-token prediction
    Key("num_nextn_predict_layers", "any", "number of layers for multi-token prediction (MTP)",
        ("mtp_num_hidden_layers", "num_mtp_modules", "num_mtp_layers", "mtp_num_layers"), "DeepSeek; Qwen3.5; MiniMax"),
    Key("mtp_transformer_layers", "count", "layers in each module for multi-token prediction (MTP)", (), "MiniMax"),
    Key("use_mtp", "flag", "multi-token prediction (MTP) is on", (), "MiniMax"),
    Key("mtp_hybrid_override_pattern", "word", "a letter for each attention, Mamba or MLP of the MTP layers", (),
        "Nemotron 3 Super"),
    Key("mtp_layers_block_type", "list", "kind of mixer or MLP in each MTP layer, as words", (), "Nemotron 3 Ultra"),
    # ---- variants that change shapes
    Key("new_decoder_architecture", "flag", "Falcon's second layout of a layer", (), "Falcon"),
    Key("num_ln_in_parallel_attn", "count", "number of norms before attention and MLP that run in parallel", (),
        "Falcon"),
    Key("do_layer_norm_before", "flag", "pre-norm: norms stand before attention and MLP", (), "OPT"),
    Key("learned_pos_emb", "flag", "a learned table of position embeddings", (), "MPT", moot=True),
    Key("attention_type", "any", "kind of attention"),
    Key("attention_types", "list", "patterns of global and local attention, with repeats", (), "GPT-Neo"),
    Key("use_sandwich_norm", "flag", "norms after attention and MLP, too (sandwich norm)", (), "LFM3"),
    Key("use_post_norm", "flag", "norms after attention and MLP, too", (), "HyperCLOVA X"),
    Key("projectors_bias", "flag", "biases on Mamba's input and output projections", (), "Falcon-H1"),
)  # fmt: skip
