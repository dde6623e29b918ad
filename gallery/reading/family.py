"""What a family file may say: everything about an architecture that its config cannot.

Fields left alone mean the plain decoder: RMSNorm before each half, rotary position, no biases, a gated MLP.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Rules = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Family:
    """One architecture. `defaults` are its class defaults for keys that a config may leave out."""

    source: str = ""  # where these facts come from
    defaults: Mapping[str, object] = field(default_factory=dict)
    spellings: Mapping[str, str] = field(default_factory=dict)  # its own spelling -> name in KEYS
    rope_interleaved: bool = False  # pairs that rotate are neighbours
    latent_interleaved: bool = True  # the same in MLA, where no key says it
    index_interleaved: bool = False  # the same in its indexer
    latent_norm_eps: float = 1e-6  # of MLA's latents: the class's own, whatever rms_norm_eps says; 0 = as it says
    rope_backwards: bool = False  # pairs are turned the other way
    norm_eps: float = 0.0  # what the class writes out, whatever the config says; 0 = as the config says
    norm_plus_one: bool = False  # norms multiply by 1 + w
    embedding_root: bool = False  # the embedding is multiplied by √hidden_size (Gemma)
    acts: Mapping[str, str] = field(default_factory=dict)  # what the class runs where the config names another
    length_beside: bool = False  # original_max_position_embeddings beside the mapping wins over that inside (Phi-3)
    stretched: tuple[str, ...] = ()  # layer words whose rope is stretched where the file says it once; () = all
    unread: Mapping[str, object] = field(default_factory=dict)  # name in KEYS its class does not read -> what it has
    run_as: Mapping[str, object] = field(default_factory=dict)  # the same, but code published with the weights reads it
    #                      and so do engines: drawn as the file says, run as the class
    opening: Callable | None = None  # (reading) -> Graph of what else happens to the embedding
    closing: Callable | None = None  # (reading) -> Graph between the last norm and the head
    qk_norm_eps: float = 0.0  # 0 = as the other norms
    qk_norm_after_rope: bool = False
    norms: str = "pre"  # "pre" | "sandwich" | "post" | "single"
    norm: str = "RMSNorm"
    norm_bias: bool = False
    norm_weight: bool = True
    final_norm: str = "norm"  # its name; "" = none
    parallel: bool = False
    qk_norm: str = ""  # "head", "full"...; "" = only if a key says so
    qk_norm_if_said: str = "head"  # what a flag like use_qk_norm means here
    qk_norm_bias: bool = False
    qkv_bias: bool | None = None  # None = as attention_bias says
    o_bias: bool | None = None  # None = as the q, k and v biases
    mlp_bias: bool | None = None  # None = as mlp_bias says
    gated: bool = True
    shared_gate: bool = False  # a one-row gate on the shared expert
    sinks: bool = False
    gate: str = ""  # gate on the attention output
    gate_act: str = "sigmoid"  # what opens it
    position: str = "rope"
    every_layer: str = ""  # mixer word of all layers where the config has no pattern
    windowed: bool = False  # its attention or its masks read sliding_window: where no word says which layers, in all
    windowless: tuple[str, ...] = ()  # model types among its aliases whose class does not
    words: Callable | None = None  # (facts, depth) -> mixer words, where the config's own spelling is not enough
    scale: Callable | None = None  # (reading, size of q·k) -> what q·k is multiplied by; see scales.py
    mixers: Mapping[str, Callable] = field(default_factory=dict)  # mixer word -> builder(reading, index)
    mlp: Callable | None = None  # (reading, index, word) -> an MLP
    norms_of: Callable | None = None  # (reading, index, word) -> norms
    extras: Callable | None = None  # (reading, index) -> Extras of a layer
    model_extras: Callable | None = None  # (reading) -> Extras of the model
    mtp: Callable | None = None  # (reading, layers) -> (layers, extras)
    prepare: Callable | None = None  # (reading) -> None, before the layers
    finish: Callable | None = None  # (reading, fields) -> fields of the ModelSpec
    names: Any = ()  # Rules, or (reading) -> Rules
    state_names: Any = ()  # the same, from the checkpoint's names on, to the modelling code's state dict
    nested: str = "model.language_model"  # where a composite checkpoint keeps the language model
    router_buffer: str = ""  # our name of the score-correction bias inside a layer
    router_trained: bool = False  # that bias is a parameter, not a buffer
    scoring: str = ""  # how router logits become weights, where no key says so; "" = softmax
    topk_first: bool = False  # the largest logits are chosen before they are scored
    group_score: str = "max"  # what stands for a group of experts: its best score, or the sum of its "top2"
    group_masked: float = -math.inf  # the score of an expert outside the chosen groups, bias included
    norm_topk: bool | None = None  # None = as norm_topk_prob says; the class may ignore that
    norm_topk_eps: float = 0.0  # added to their sum
    routed_scale: bool = True  # the class multiplies by routed_scaling_factor
    rounded_scales: bool = False  # scale_fmt "ue8m0" says how FP8 scales were rounded: files store them in FP32
    bidirectional: bool = False  # every token sees every other
    reads_direction: bool = False  # its class sees both ways where use_bidirectional_attention says so
    zoo: str = ""  # towers that come with it; see towers.py
