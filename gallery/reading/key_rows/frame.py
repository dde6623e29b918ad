"""Keys of the frame: layers, width, vocabulary, context, number format, how often the stack runs."""

from __future__ import annotations

from cutaway.gallery.reading.key_rows.row import Key

ROWS = (
    Key("num_hidden_layers", "layers", "number of layers", ("num_layers", "n_layer", "n_layers", "num_blocks"),
        "ChatGLM, EXAONE 3, LongCat; GPT-2, Falcon, Bloom; DBRX, MPT, Mistral params.json; xLSTM"),
    Key("hidden_size", "width", "width of the residual stream", ("d_model", "n_embd", "n_embed", "embedding_dim",
        "model_dim", "dim"), "DBRX, MPT, Mamba; GPT-2; old Bloom; xLSTM; OpenELM; Mistral params.json"),
    Key("vocab_size", "vocabulary", "rows of the embedding table", ("padded_vocab_size", "org_vocab_size"),
        "ChatGLM; Hunyuan"),
    Key("max_position_embeddings", "tokens", "longest context that the model is made for", ("seq_length", "max_seq_len",
        "max_sequence_length", "model_max_length", "n_positions", "n_ctx", "max_context_length", "context_length"),
        "ChatGLM, Bloom; DBRX, MPT; Baichuan; GPT-2"),
    Key("original_max_position_embeddings", "tokens", "context length before RoPE scaling", ("initial_context_length",),
        "Phi-3, gpt-oss", moot=True),
    Key("tie_word_embeddings", "flag", "the output head shares the embedding table", ("tie_embedding", "tie_embeddings",
        "tied_embeddings", "share_input_output_layers", "use_tied_embeddings"), "LFM2, Mistral params.json"),
    Key("dtype", "word", "number format of the weights", ("torch_dtype", "params_dtype"),
        "files written before transformers 4.56"),
    Key("use_parallel_residual", "flag", "attention and MLP read the same input, in parallel", ("parallel_attn",),
        "GPT-NeoX, StableLM; Falcon"),
    Key("apply_residual_connection_post_layernorm", "flag", "attention and MLP add to their normalised input", (),
        "BLOOM", moot=True),
    Key("num_layers_per_stack", "layers", "layers in each of the two stacks", (), "HRM"),
    Key("H_cycles", "copies", "how often the slow stack runs", (), "HRM"),
    Key("L_cycles", "copies", "how often the fast stack runs before each run of the slow one", (), "HRM"),
    Key("loops", "copies", "how often the stack of layers runs", ("total_ut_steps",), "Ouro"),
    Key("embedding_size", "width", "width of the embedding table, where it differs from hidden_size",
        ("word_embed_proj_dim",), "OPT"),
    Key("type_vocab_size", "count", "rows of the token-type embedding table"),
)  # fmt: skip
