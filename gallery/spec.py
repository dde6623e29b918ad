"""The shape of a read model: frozen records that say everything, with nothing left to look up in a config.

`read.py` fills these; everything downstream (weights, memory, drawing, pages, explainers) uses only these.
Field names are the config's own keys wherever the field has one. Sizes are counts of numbers, never bytes.
"""

from __future__ import annotations

from dataclasses import dataclass


class ConfigError(ValueError):
    """Everything a config can do wrong: the message says what was read, what was looked for and what to do."""


# ---------------------------------------------------------------- mixers: the half of a layer that mixes tokens


@dataclass(frozen=True, slots=True)
class Indexer:
    """A small scorer that picks which cached entries a sparse mixer reads (DSA, MiniMax-M3, V4's CSA)."""

    index_n_heads: int
    index_head_dim: int
    index_topk: int  # tokens, or blocks where `block_size` > 1
    block_size: int = 1  # scores are pooled over blocks of this many tokens
    shared: bool = False  # True: no weights and no index keys of its own, reuses the choice of an earlier layer
    q_rank: int = 0  # width its queries are projected from (q_lora_rank); 0 = hidden_size
    style: str = "dsa"  # "dsa" | "minimax_m3" | "v4" | "pooled"


@dataclass(frozen=True, slots=True)
class Attention:
    """Softmax attention with its own keys and values: MHA, GQA, MQA and every option that hangs on it."""

    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    v_head_dim: int
    sliding_window: int = 0  # tokens; 0 = sees everything
    attention_chunk_size: int = 0  # tokens; 0 = no chunks
    rotary_dim: int = 0  # how many of head_dim are rotated; 0 = no rotary position (NoPE, learned, ALiBi)
    qk_norm: str = ""  # "" | "head" (weight of head_dim) | "full" (weight of the projection's width) | "unweighted" ...
    bias: frozenset[str] = frozenset()  # which of "q", "k", "v", "o" carry a bias
    gate: str = ""  # "" | "elementwise" (a gate per head dim, in q_proj) | "separate" (the same as a matrix of its own)
    #                   | "headwise" (one number per head)
    sinks: bool = False  # one learned logit per head
    k_eq_v: bool = False  # no v_proj: values are the keys before their norm
    kv_source: int | None = None  # index of the layer whose K and V are reused; then no K/V weights and no cache here
    cross: bool = False  # keys and values come from another tower (images), not from the text
    position: str = "rope"  # "rope" | "nope" | "alibi" | "learned"
    indexer: Indexer | None = None
    qk_norm_bias: bool = False  # the QK-norm is a LayerNorm with a bias
    input_size: int = (
        0  # width it reads where that is not hidden_size (Zamba2 reads stream and embedding); 0 = the same
    )
    weights_of: int | None = None  # index of the layer whose weights it uses (its own index: listed among its extras)
    scale: float | None = 0.0  # q·k times this goes into the softmax; 0 = 1 / √head_dim, None = not known


@dataclass(frozen=True, slots=True)
class LatentAttention:
    """MLA: one latent per token serves all heads; RoPE is kept apart."""

    num_attention_heads: int
    q_lora_rank: int  # 0 = a full q projection
    kv_lora_rank: int
    qk_nope_head_dim: int
    qk_rope_head_dim: int
    v_head_dim: int
    rotary_dim: int = 0  # 0 = the "rope" half is not rotated (NoPE)
    bias: frozenset[str] = frozenset()
    gate: str = ""
    sliding_window: int = 0
    kv_source: int | None = None
    indexer: Indexer | None = None
    scale: float | None = 0.0  # 0 = 1 / √(qk_nope_head_dim + qk_rope_head_dim), None = not known


@dataclass(frozen=True, slots=True)
class CompressedAttention:
    """DeepSeek-V4: one vector is key and value for all heads; a window of them, plus compressed entries."""

    num_attention_heads: int
    head_dim: int
    qk_rope_head_dim: int
    q_lora_rank: int
    o_groups: int
    o_lora_rank: int
    sliding_window: int
    compress_ratio: int  # 0 = window only; 4 = CSA (overlapping, indexed); 128 = HCA (dense over entries)
    overlap: bool = False  # CSA: two windows feed each entry
    sinks: bool = True
    indexer: Indexer | None = None


@dataclass(frozen=True, slots=True)
class GatedDeltaNet:
    """S <- a S; S += b k (v - S'k)': one state of key_head_dim x value_head_dim per value head."""

    linear_num_key_heads: int
    linear_num_value_heads: int
    linear_key_head_dim: int
    linear_value_head_dim: int
    linear_conv_kernel_dim: int
    fused: bool = False  # Qwen3-Next: in_proj_qkvz and in_proj_ba; Qwen3.5: four projections
    allow_neg_eigval: bool = False


@dataclass(frozen=True, slots=True)
class KimiDelta:
    """KDA: the delta rule with one decay per key channel."""

    num_heads: int
    head_dim: int
    short_conv_kernel_size: int
    full_rank_gate: bool = False
    full_rank_decay: bool = False  # Ling 3: one f_proj instead of f_a_proj and f_b_proj


@dataclass(frozen=True, slots=True)
class Mamba2:
    """State space with one decay per head: state num_heads x head_dim x state_size."""

    num_heads: int
    head_dim: int
    state_size: int
    n_groups: int
    conv_kernel: int
    conv_bias: bool = True
    proj_bias: bool = False
    gated_norm: bool = True
    chunk_size: int = 0


@dataclass(frozen=True, slots=True)
class Mamba1:
    """State space with a diagonal state per channel: state d_inner x state_size."""

    d_inner: int
    state_size: int
    conv_kernel: int
    dt_rank: int
    conv_bias: bool = True
    proj_bias: bool = False
    inner_norms: bool = False  # Jamba: norms on dt, B and C


@dataclass(frozen=True, slots=True)
class LightningAttention:
    """Linear attention with a fixed decay per head (MiniMax-01, Ling 2.5): state heads x head_dim x head_dim."""

    num_heads: int
    head_dim: int
    fused_qkv: bool = True
    qk_norm: str = ""


@dataclass(frozen=True, slots=True)
class ShortConv:
    """A gated depthwise convolution over the last `conv_L_cache` tokens (LFM2)."""

    conv_dim: int
    conv_L_cache: int
    bias: bool = False


@dataclass(frozen=True, slots=True)
class MatrixLSTM:
    """xLSTM's mLSTM: a matrix memory per head with exponential gates."""

    num_heads: int
    qk_head_dim: int
    v_head_dim: int
    bias: bool = False


@dataclass(frozen=True, slots=True)
class RwkvTimeMix:
    """RWKV-7: a generalised delta rule with vector decay; state heads x head_dim x head_dim."""

    num_heads: int
    head_dim: int
    decay_low_rank_dim: int
    gate_low_rank_dim: int
    a_low_rank_dim: int
    v_low_rank_dim: int


@dataclass(frozen=True, slots=True)
class LinearMixer:
    """One matrix in place of the attention (Nemotron-NAS): mixes no tokens at all."""


@dataclass(frozen=True, slots=True)
class Combined:
    """Several mixers, or several MLPs, in one half of a layer: side by side or one after the other."""

    parts: tuple[object, ...]
    how: str  # "parallel" | "serial"


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """A half of a layer that the spec cannot express: drawn as a marked box, never left out."""

    what: str


# ---------------------------------------------------------------- MLPs: the other half


@dataclass(frozen=True, slots=True)
class Dense:
    """gate, up and down (gated) or up and down."""

    intermediate_size: int
    gated: bool = True
    hidden_act: str = "silu"
    bias: bool = False
    weights_of: int | None = None  # index of the layer whose weights it uses; then none of its own


@dataclass(frozen=True, slots=True)
class MoE:
    """A router and its experts."""

    num_experts: int
    num_experts_per_tok: int
    moe_intermediate_size: int
    gated: bool = True
    hidden_act: str = "silu"
    n_shared_experts: int = 0  # how many, for words; their total width is the next field
    shared_expert_intermediate_size: int = 0  # total width of what every token visits
    shared_gate: bool = False  # a one-row gate on the shared expert
    n_group: int = 1
    topk_group: int = 1
    zero_expert_num: int = 0  # experts that return their input: router rows, no weights
    router_size: int = 0  # width the router reads; 0 = hidden_size
    latent_size: int = 0  # experts work in this width instead of hidden_size; 0 = hidden_size
    bias: bool = False  # biases on the experts
    router_bias: bool = False  # a trained bias on the router (score-correction buffers are not parameters)
    scoring: str = "softmax"  # "softmax" | "sigmoid" | "sqrtsoftplus" | "hash"


# ---------------------------------------------------------------- the layer and the model


@dataclass(frozen=True, slots=True)
class Norm:
    """One normalisation of the residual stream; `position` says where it stands in the layer."""

    position: str  # "mixer_in" | "mixer_out" | "mlp_in" | "mlp_out" | "final" | "embedding"
    kind: str = "RMSNorm"  # "RMSNorm" | "LayerNorm"
    bias: bool = False
    weight: bool = True
    name: str = ""  # its name in the layer where that is not the usual one for the position


@dataclass(frozen=True, slots=True)
class Extra:
    """A thing beside mixer and MLP that has weights of its own: its tensors are listed outright."""

    kind: str  # e.g. "per_layer_embedding", "altup", "laurel", "hyper_connection", "residual_scale", "router"
    label: str  # what the drawing says
    tensors: tuple[tuple[str, tuple[int, ...]], ...]  # (name inside the layer or the model, shape)
    part: str = "residual"  # part of the ledger these weights belong to


@dataclass(frozen=True, slots=True)
class Layer:
    """One of num_hidden_layers. A half that the layer does not have is None (Nemotron-H)."""

    index: int
    mixer: object | None
    mlp: object | None
    norms: tuple[Norm, ...]
    parallel: bool = False  # mixer and MLP read the same input (Falcon, Cohere)
    extras: tuple[Extra, ...] = ()


@dataclass(frozen=True, slots=True)
class HyperConnections:
    """The residual stream as several parallel streams, mixed around each half of a layer."""

    streams: int
    sinkhorn_iters: int = 0
    lowrank: int = 0


@dataclass(frozen=True, slots=True)
class Tower:
    """Another network beside the language model, drawn as a named box."""

    name: str  # "vision_config", "audio_config", ...
    model_type: str
    num_hidden_layers: int | None
    hidden_size: int | None
    parameters: int | None  # None: the config does not give enough to count


@dataclass(frozen=True, slots=True)
class Quantization:
    """quantization_config, normalised: one record whatever the tool that wrote it. Filled by quantization.py."""

    scheme: str  # "fp8", "mxfp4", "nvfp4", "int4", "int8", "nf4", "mixed", "unknown"
    element: str  # ml_dtypes name, or "nf4", "int4"
    block_shape: tuple[int, ...] = ()  # e.g. (128, 128), (1, 32), (1, 16); () = per tensor or per channel
    scale: str = ""  # ml_dtypes name of the scale, e.g. "float32", "float8_e8m0fnu", "float8_e4m3fn"
    scale_direction: str = "multiply"  # "multiply" | "divide": what the stored scale does when dequantizing
    method: str = ""  # quant_method as written
    activations: str = ""  # "dynamic", "static", "none"
    kv_cache: str = ""  # element format of the KV cache if the config fixes one
    ignore: tuple[str, ...] = ()  # patterns of modules left in the model's dtype
    only_experts: bool = False  # gpt-oss: only the routed experts
    row: str = ""  # the key of schemes.SCHEMES that most quantized weights follow; "" = none fits
    group_size: int = 0  # where it differs from the row's block
    overrides: tuple[tuple[str, str], ...] = ()  # (pattern of modules, key of schemes.SCHEMES or "") that differ
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A whole language model, from tokens to logits."""

    model_type: str
    architecture: str  # architectures[0], "" if the config names none
    hidden_size: int
    vocab_size: int
    num_hidden_layers: int
    layers: tuple[Layer, ...]
    max_position_embeddings: int | None
    tie_word_embeddings: bool
    dtype: str  # ml_dtypes name, e.g. "bfloat16"
    final_norm: Norm | None
    head_bias: bool = False
    has_head: bool = True
    embedding_size: int = 0  # width of the embedding table where it differs from hidden_size; 0 = the same
    embedding_rows: int = 0  # its rows where it has more than vocab_size (Llama 3.2 Vision); 0 = vocab_size
    extras: tuple[Extra, ...] = ()  # model-level: learned positions, per-layer embedding tables, projections
    mtp: tuple[Layer, ...] = ()  # multi-token-prediction layers, apart from num_hidden_layers
    mtp_extras: tuple[Extra, ...] = ()
    loops: int = 1  # how often the same stack runs
    hyper_connections: HyperConnections | None = None
    towers: tuple[Tower, ...] = ()
    quantization: Quantization | None = None
    names: tuple[tuple[str, ...], ...] = ()  # (our name, the checkpoint's) where a family renames; see naming.py
    buffers: tuple[tuple[str, tuple[int, ...]], ...] = ()  # stored beside the weights, but no parameters
    read_from_keys: bool = False  # True: model_type is unknown here, the keys alone were read
    not_understood: tuple[str, ...] = ()  # sentences: what the spec cannot express
    contradictions: tuple[str, ...] = ()  # sentences: a value that another value denies, and which one won
    unread: tuple[str, ...] = ()  # keys of the config that nobody read
