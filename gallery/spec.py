"""The shape of a read model: frozen records that say everything, with nothing left to look up in a config.

`read.py` fills these; everything downstream (weights, memory, drawing, pages, explainers) uses only these.
Field names are the config's own keys wherever the field has one. Sizes are counts of numbers, never bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from cutaway.gallery.graph import Graph, Stage
from cutaway.gallery.mixers.attention import Attention
from cutaway.gallery.mixers.compressed import CompressedAttention
from cutaway.gallery.mixers.convolved import ConvolvedAttention
from cutaway.gallery.mixers.expert_heads import ExpertHeads
from cutaway.gallery.mixers.gated_delta import GatedDeltaNet
from cutaway.gallery.mixers.indexer import Indexer
from cutaway.gallery.mixers.kimi_delta import KimiDelta
from cutaway.gallery.mixers.latent import LatentAttention
from cutaway.gallery.mixers.lightning import LightningAttention
from cutaway.gallery.mixers.mamba1 import Mamba1
from cutaway.gallery.mixers.mamba2 import Mamba2
from cutaway.gallery.mixers.matrix_lstm import MatrixLSTM
from cutaway.gallery.mixers.one_matrix import LinearMixer
from cutaway.gallery.mixers.relative import RelativeAttention
from cutaway.gallery.mixers.rg_lru import RGLRU
from cutaway.gallery.mixers.rwkv4 import RwkvMean
from cutaway.gallery.mixers.rwkv7 import RwkvTimeMix
from cutaway.gallery.mixers.short_conv import ShortConv
from cutaway.gallery.mlps.channel_mix import ChannelMix
from cutaway.gallery.mlps.dense import Dense
from cutaway.gallery.mlps.experts import MoE
from cutaway.gallery.mlps.product_keys import ProductKeys
from cutaway.gallery.records import ConfigError, Normal, Plain, Rope, Shown

__all__ = [
    "RGLRU",
    "Attention",
    "ChannelMix",
    "Combined",
    "CompressedAttention",
    "ConfigError",
    "ConvolvedAttention",
    "Dense",
    "ExpertHeads",
    "Extra",
    "GatedDeltaNet",
    "Indexer",
    "KimiDelta",
    "LatentAttention",
    "Layer",
    "LightningAttention",
    "LinearMixer",
    "Mamba1",
    "Mamba2",
    "MatrixLSTM",
    "MoE",
    "ModelSpec",
    "Norm",
    "Normal",
    "NotUnderstood",
    "Plain",
    "ProductKeys",
    "Quantization",
    "RelativeAttention",
    "Rope",
    "RwkvMean",
    "RwkvTimeMix",
    "ShortConv",
    "Tower",
]  # fmt: skip


# ---------------------------------------------------------------- a half of a layer that is no single kind


@dataclass(frozen=True, slots=True)
class Combined:
    """Several mixers, or several MLPs, in one half of a layer: side by side or one after the other."""

    parts: tuple[Mixer | Mlp, ...]
    how: str  # "parallel" | "serial"
    scale: float = 1.0  # of the sum of those side by side (Grok 2)


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """A half of a layer that the spec cannot express: drawn as a marked box, never left out."""

    what: str


Mixer = (
    Attention
    | CompressedAttention
    | ConvolvedAttention
    | ExpertHeads
    | GatedDeltaNet
    | KimiDelta
    | LatentAttention
    | LightningAttention
    | LinearMixer
    | Mamba1
    | Mamba2
    | MatrixLSTM
    | RelativeAttention
    | RGLRU
    | RwkvMean
    | RwkvTimeMix
    | ShortConv
    | Combined
    | NotUnderstood
)
Mlp = ChannelMix | Dense | MoE | ProductKeys | Combined | NotUnderstood
AS_IS = Plain()


# ---------------------------------------------------------------- the layer and the model


@dataclass(frozen=True, slots=True)
class Norm:
    """One normalisation of the residual stream; `position` says where it stands in the layer."""

    position: str  # "mixer_in" | "mixer_out" | "mlp_in" | "mlp_out" | "final" | "embedding"; "mixer_after" and
    #                "mlp_after" stand in the stream itself, after the sum
    kind: str = "RMSNorm"  # "RMSNorm" | "LayerNorm"
    bias: bool = False
    weight: bool = True
    name: str = ""  # its name in the layer where that is not the usual one for the position
    eps: float = 1e-6
    plus_one: bool = False  # the stored weight is w, what multiplies is 1 + w (Gemma)
    weight_first: bool = False  # the weight multiplies before the norm, not after it (Muse Spark)
    size: int = 0  # its width where that is not hidden_size
    of: int | None = None  # index of the layer that holds its weight, where that is another one
    gate_rank: int = 0  # what it gives is multiplied by σ of a small MLP of itself (A.X K2); 0 = not

    @property
    def normal(self) -> Normal:
        """How it works, apart from where it stands."""
        return Normal(self.kind, self.eps, self.plus_one, self.weight_first)


Shapes = tuple[tuple[str, tuple[int, ...]], ...]  # (name, shape) of each of some tensors


@dataclass(frozen=True, slots=True)
class Extra:
    """A thing beside mixer and MLP that has weights of its own: its tensors are listed outright."""

    kind: str  # e.g. "per_layer_embedding", "altup", "laurel", "hyper_connection", "residual_scale", "router"
    label: str  # what the drawing says
    tensors: Shapes  # (name inside the layer or the model, shape)
    part: str = "residual"  # part of the ledger these weights belong to


@dataclass(frozen=True, slots=True)
class Layer:
    """One of num_hidden_layers. A half that the layer does not have is None (Nemotron-H)."""

    index: int
    mixer: Mixer | None
    mlp: Mlp | None
    norms: tuple[Norm, ...]
    parallel: bool = False  # mixer and MLP read the same input (Falcon, Cohere)
    extras: tuple[Extra, ...] = ()

    @property
    def made_of(self) -> tuple[int, ...]:
        """Equal for layers of the same objects, which reading shares: their graphs differ in names of tensors alone."""
        return id(self.mixer), id(self.mlp), id(self.norms), id(self.extras), self.parallel


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
    scale: str = ""  # ml_dtypes name of the scale that a code is multiplied by: "float32", "float8_e8m0fnu", ...
    method: str = ""  # quant_method as written
    activations: str = ""  # "dynamic", "static", "none"
    kv_cache: str = ""  # element format of the KV cache if the config fixes one
    ignore: tuple[str, ...] = ()  # patterns of modules left in the model's dtype
    only_experts: bool = False  # gpt-oss: only the routed experts
    row: str = ""  # the key of schemes.SCHEMES that most quantized weights follow; "" = none fits
    group_size: int = 0  # where it differs from the row's block
    overrides: tuple[tuple[str, str], ...] = ()  # (pattern of modules, key of schemes.SCHEMES or "") that differ
    only_named: bool = False  # what no pattern of `overrides` means stays in the model's dtype
    head: bool = False  # the head is taken like any other matrix
    counted: bool = True  # whether the bytes of all weights are known; else stored_bytes is None
    tables: bool = False  # embeddings and routers are taken, too (MLX)
    unread: tuple[str, ...] = ()
    not_understood: tuple[str, ...] = ()  # sentences; read.py gives them to the spec


@dataclass(frozen=True, slots=True)
class ModelSpec(Shown):
    """A whole language model, from tokens to logits."""

    model_type: str  # the config's own
    architecture: str  # architectures[0], "" if the config names none
    hidden_size: int  # width of the residual stream
    vocab_size: int  # tokens of the vocabulary
    num_hidden_layers: int  # without MTP layers
    layers: tuple[Layer, ...]  # one entry per layer, the first one first
    max_position_embeddings: int | None  # tokens; None: not stated
    tie_word_embeddings: bool  # whether the head is the embedding
    dtype: str  # ml_dtypes name, e.g. "bfloat16"
    final_norm: Norm | None  # before the head
    head_bias: bool = False  # whether the head has a bias
    has_head: bool = True  # False: an encoder or embedding model
    bidirectional: bool = False  # every token sees every other: no order of writing, nothing kept
    embedding_size: int = 0  # width of the embedding table where it differs from hidden_size; 0 = the same
    embedding_rows: int = 0  # its rows where it has more than vocab_size (Llama 3.2 Vision); 0 = vocab_size
    residual: Any = AS_IS  # a kind of gallery/residuals: each reads its own fields
    embedding_multiplier: float = 1.0  # the embedding is multiplied by this
    opening: Graph | None = None  # what else happens to the embedding ("x") before the first layer
    closing: Graph | None = None  # what else happens to the stream ("x") between the last norm and the head
    logits_multiplier: float = 1.0  # logits are multiplied by this
    logits_softcap: float = 0.0  # logits become cap · tanh(logits / cap); 0 = not
    extras: tuple[Extra, ...] = ()  # model-level: learned positions, per-layer embedding tables, projections
    mtp: tuple[Layer, ...] = ()  # multi-token-prediction layers, apart from num_hidden_layers
    mtp_extras: tuple[Extra, ...] = ()  # what MTP layers have outside their sublayers
    loops: int = 1  # how often the same stack runs
    loop_norm: bool = False  # the last norm stands behind every run, not behind the last alone
    course: tuple[Stage, ...] = ()  # in which order layers run, where not one after the other
    places: tuple[str, ...] = ()  # where the layers stand in a state dict, where not model.layers.0, 1, 2 ...
    towers: tuple[Tower, ...] = ()  # encoders for images and sound, drawn as one box
    mrope: tuple[int, ...] = ()  # pairs of a head that an image token's time, row and column rotate; () = plain RoPE
    deepstack: tuple[int, ...] = ()  # layers of the vision tower, each added to the stream after a layer from the first
    quantization: Quantization | None = None  # how the weights are stored; None: as dtype
    names: tuple[tuple[str, ...], ...] = ()  # (our name, the checkpoint's) where a family renames; see naming.py
    state_names: tuple[tuple[str, ...], ...] = ()  # further rules, from there to the modelling code's state dict
    buffers: tuple[tuple[str, tuple[int, ...]], ...] = ()  # stored beside the weights, but no parameters
    family: str = ""  # the file of reading/families it was read with; "" = none
    read_from_keys: bool = False  # True: model_type is unknown here, the keys alone were read
    not_understood: tuple[str, ...] = ()  # sentences: what the spec cannot express
    contradictions: tuple[str, ...] = ()  # sentences: a value that another value denies, and which one won
    notes: tuple[str, ...] = ()  # sentences: what the config says and the spec leaves out on purpose
    unread: tuple[str, ...] = ()  # keys of the config that nobody read
    # what the file sets of multipliers, epsilons, bases, caps and limits (reading/constants.py)
    constants: tuple[tuple[str, object], ...] = field(default=(), repr=False, compare=False)
    # keys whose values only a class's defaults say, in a catalogued config that was put together: no facts to name
    assumed: tuple[str, ...] = field(default=(), repr=False, compare=False)
    # graphs of layers that were asked for, each beside its layer (wiring.layer_graph); no part of what a spec says
    graphs: dict[int, tuple[Layer, Graph]] = field(default_factory=dict, init=False, repr=False, compare=False)
    # lists of their tensors, in the same way (counting.weights.by_kind)
    listed: dict[int, tuple[tuple, list]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __repr__(self) -> str:
        """A summary of at most ten lines; the fields hold the rest."""
        from cutaway import gallery

        return gallery.summary(self)
