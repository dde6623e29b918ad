"""Mechanisms of mixers: who reads whom, by attention of every kind or by a recurrence."""

from __future__ import annotations

from cutaway.gallery import spec as s
from cutaway.gallery.comparing import finding as f
from cutaway.gallery.comparing.finding import Question
from cutaway.gallery.comparing.mechanism_rows.row import DELTA, FAMILY, HEADS, SPARSE, Mechanism


def _heads(test) -> Question:
    return f.mixer(s.Attention, lambda p, spec: not p.cross and test(p.num_attention_heads, p.num_key_value_heads))


# fmt: off
ROWS: tuple[Mechanism, ...] = (
    Mechanism("mha", "mixer", "MHA", "multi-head attention", _heads(lambda q, kv: q == kv),
              "Multi-head attention", "{where}: each of the {p.num_attention_heads} heads has its own keys and values.",
              "arXiv 1706.03762",
              meaning="Every query head has its own key head and value head, and all of them are cached.",
              learn=HEADS),
    Mechanism("gqa", "mixer", "GQA", "grouped-query attention", _heads(lambda q, kv: 1 < kv < q),
              "Grouped-query attention", "{where}: {per_kv} query heads share each of the {p.num_key_value_heads} "
              "key/value heads.", "arXiv 2305.13245",
              meaning="Several query heads share each key and value head, which makes the KV cache that many times "
                      "smaller.",
              learn=HEADS),
    Mechanism("mqa", "mixer", "MQA", "multi-query attention", _heads(lambda q, kv: kv == 1 < q),
              "Multi-query attention", "{where}: all {p.num_attention_heads} query heads share one key/value head.",
              "arXiv 1911.02150",
              meaning="All query heads share a single key and value head, which gives the smallest cache of plain "
                      "attention.",
              learn=HEADS),
    Mechanism("mla", "mixer", "MLA", "latent attention", f.mixer(s.LatentAttention),
              "Multi-head latent attention", "{where}: keys and values of all heads are projected from one latent of "
              "{p.kv_lora_rank:,} numbers per token.", "arXiv 2405.04434",
              meaning="Keys and values of all heads are projected from one short vector per token, and only this "
                      "vector and a small rotated key are cached.",
              also=("multi-head latent attention",), learn=("mla-numbers", *HEADS)),
    Mechanism("csa", "mixer", "CSA", "compressed sparse attention",
              f.mixer(s.CompressedAttention, lambda p, spec: p.indexer),
              "Compressed sparse attention", "{where}: one cache entry per {p.compress_ratio} tokens, and an "
              "indexer that picks {p.indexer.index_topk:,} entries.", "the DeepSeek-V4 report",
              meaning="Every few tokens are compressed into one cached entry, and an indexer picks the entries that a "
                      "query attends to.",
              learn=SPARSE),
    Mechanism("hca", "mixer", "HCA", "heavily compressed attention",
              f.mixer(s.CompressedAttention, lambda p, spec: p.compress_ratio and not p.indexer),
              "Heavily compressed attention",
              "{where}: one cache entry per {p.compress_ratio} tokens; a query attends to all entries.",
              "the DeepSeek-V4 report",
              meaning="Many tokens are compressed into each cached entry, so that a query can attend to all the "
                      "entries.",
              learn=SPARSE),
    Mechanism("cca", "mixer", "CCA", "compressed convolutional attention", f.mixer(s.ConvolvedAttention),
              "Compressed convolutional attention",
              "{where}: queries and keys pass through two short convolutions; half of each value comes from the "
              "previous token.", "arXiv 2510.04476",
              meaning="Queries and keys are compressed and pass through short convolutions before attention scores "
                      "them.",
              also=("CCA attention", "convolved attention")),
    Mechanism("relative", "mixer", "relative position bias", "a learned relative position bias",
              f.mixer(s.RelativeAttention), "A learned relative position bias",
              "{where}: each token mixes its own bias from {p.d_rel} profiles.", "Inkling's modelling code",
              meaning="A learned bias that depends on the distance between two tokens is added to their attention "
                      "score.",
              also=("learned distance bias",)),
    Mechanism("expert-heads", "mixer", "expert heads", "mixture of attention heads", f.mixer(s.ExpertHeads),
              "Mixture of attention heads", "{where}: each token uses {p.num_experts_per_tok} of {p.num_experts} "
              "query heads.",
              "arXiv 2404.07413",
              meaning="A router picks the query heads that each token uses, as an MoE router picks experts.",
              also=("query heads as experts",)),
    Mechanism("gated-deltanet", "mixer", "Gated DeltaNet", "Gated DeltaNet", f.mixer(s.GatedDeltaNet),
              "Gated DeltaNet", "{where}: each value head updates one {p.linear_key_head_dim} × "
              "{p.linear_value_head_dim} state instead of adding keys and values to a cache.", "arXiv 2412.06464",
              meaning="A state of fixed size decays by a gate, and each token corrects the value that the state "
                      "returns for its key.",
              also=("GDN", "gated delta rule"), learn=DELTA),
    Mechanism("kda", "mixer", "KDA", "Kimi Delta Attention", f.mixer(s.KimiDelta),
              "Kimi Delta Attention", "{where}: the delta rule on a {p.head_dim} × {p.head_dim} state per head, with "
              "a separate decay for every key channel.", "arXiv 2510.26692",
              meaning="The delta rule with a separate decay for every key channel, where Gated DeltaNet has one per "
                      "head.",
              learn=DELTA),
    Mechanism("lightning", "mixer", "lightning attention", "lightning attention", f.mixer(s.LightningAttention),
              "Lightning attention", "{where}: a {p.head_dim} × {p.head_dim} state per head that decays by a fixed "
              "factor.",
              "arXiv 2401.04658",
              meaning="Keys and values are summed into a state that decays by a fixed factor; there is no softmax and "
                      "no growing cache.",
              also=("TransNormer",), learn=(*FAMILY, *DELTA)),
    Mechanism("mamba1", "mixer", "Mamba-1", "Mamba", f.mixer(s.Mamba1),
              "Mamba", "{where}: a state of {p.state_size} numbers for each of {p.d_inner:,} channels.",
              "arXiv 2312.00752",
              meaning="Each channel has a small state, and each token decides how much of it to forget and how much to "
                      "add.",
              also=("Mamba 1", "selective state space")),
    Mechanism("mamba2", "mixer", "Mamba-2", "Mamba-2", f.mixer(s.Mamba2),
              "Mamba-2", "{where}: each of the {p.num_heads} heads has a {p.head_dim} × {p.state_size} state and one "
              "decay.",
              "arXiv 2405.21060",
              meaning="A selective state space model with one decay per head, so that it can be computed as a masked "
                      "matrix product.",
              also=("Mamba 2", "SSD", "state space duality"), learn=DELTA),
    Mechanism("mlstm", "mixer", "mLSTM", "the mLSTM", f.mixer(s.MatrixLSTM),
              "mLSTM", "{where}: a {p.qk_head_dim} × {p.v_head_dim} memory per head, with an exponential input gate "
              "and a sigmoid forget gate.",
              "arXiv 2405.04517",
              meaning="An LSTM whose memory is a matrix, with an exponential input gate and a sigmoid forget gate.",
              also=("xLSTM",), learn=FAMILY),
    Mechanism("rg-lru", "mixer", "RG-LRU", "the RG-LRU", f.mixer(s.RGLRU),
              "RG-LRU", "{where}: one decaying number for each of {p.lru_width:,} channels.", "arXiv 2402.19427",
              meaning="The gated linear recurrence of Griffin, with one decaying number per channel.",
              also=("Griffin", "RecurrentGemma")),
    Mechanism("rwkv4", "mixer", "RWKV-4", "RWKV-4's time mix", f.mixer(s.RwkvMean),
              "RWKV-4's time mix", "{where}: a decaying mean of values per channel.", "arXiv 2305.13048",
              meaning="A weighted average of past values, with a decay rate per channel.", also=("RWKV",)),
    Mechanism("rwkv7", "mixer", "RWKV-7", "RWKV-7's time mix", f.mixer(s.RwkvTimeMix),
              "RWKV-7's time mix", "{where}: a delta rule on a {p.head_dim} × {p.head_dim} state, with a decay per "
              "channel.",
              "arXiv 2503.14456",
              meaning="A generalised delta rule: the state decays per channel and is corrected along a learned "
                      "direction.",
              also=("RWKV", "Goose"), learn=FAMILY),
    Mechanism("short-conv", "mixer", "short convolution", "short convolutions", f.mixer(s.ShortConv),
              "A gated short convolution", "{where} sees only the last {p.conv_L_cache} tokens.",
              "Liquid AI's LFM2 report",
              meaning="A short convolution with two gates: each channel mixes only the last few tokens.",
              also=("gated convolution", "LIV")),
    Mechanism("one-matrix", "mixer", "linear replacement", "a linear layer in place of attention",
              f.mixer(s.LinearMixer),
              "A linear layer in place of attention", "{where}: tokens do not see each other in these layers.",
              "arXiv 2411.19146",
              meaning="Attention is replaced by a single linear layer, so that tokens do not see each other in this "
                      "layer.",
              also=("one matrix", "Puzzle")),
)
# fmt: on
