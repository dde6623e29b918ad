"""Terms of the field that no config.json holds -> a sentence each: from text to the next token, serving, research.

What a model has or has not is an idea of app/model/ideas.py; the rows here are what readers ask for besides.
"""

from __future__ import annotations

from typing import NamedTuple

PARTS = {
    "text": "From text to the next token",
    "serving": "Serving",
    "research": "Research",
}


class Term(NamedTuple):
    """One term: `words` are its names, the usual one first; `learn` the explainers that teach it."""

    key: str
    part: str  # of PARTS
    words: tuple[str, ...]
    says: str
    source: str
    learn: tuple[str, ...] = ()


SHAZEER, VLLM, SGLANG, SARATHI = "arXiv 1911.02150", "arXiv 2309.06180", "arXiv 2312.07104", "arXiv 2403.02310"
TRANSFORMER, NUCLEUS, DRAFTS = "arXiv 1706.03762", "arXiv 1904.09751", "arXiv 2211.17192"
HEADS, ROOFLINE, SPECULATIVE = ("heads",), ("roofline",), ("speculative",)
SPARSE, DELTA, EXPERTS, FLASH = ("sparse",), ("delta-rule",), ("experts",), ("flash",)

# fmt: off
TERMS = (
    # ---------------------------------------------------------------- from text to the next token
    Term("token", "text", ("token",),
         "A piece of text that the model reads and writes as one number: a word, a part of a word or a byte.",
         "arXiv 1508.07909"),
    Term("bpe", "text", ("byte-pair encoding", "BPE"),
         "A vocabulary is built by merging the most frequent pair of neighbouring symbols again and again; texts are "
         "split into tokens by the same merges.", "arXiv 1508.07909"),
    Term("embedding", "text", ("embedding", "token embedding", "embedding table"),
         "A table with one vector for each token of the vocabulary; the first layer reads the vectors of a text’s "
         "tokens.", TRANSFORMER),
    Term("attention", "text", ("attention", "softmax attention", "scaled dot-product attention", "self-attention"),
         "Each token’s query is compared with the keys of the tokens it may see, and the softmax of these scores "
         "weights the sum of their values.", TRANSFORMER, HEADS),
    Term("softmax", "text", ("softmax",),
         "Turns scores into positive weights that sum to 1: the exponential of each score, divided by the sum of all.",
         TRANSFORMER, FLASH),
    Term("kv-cache", "text", ("KV cache", "key-value cache"),
         "Keys and values of all earlier tokens are kept, so that a decode step computes only those of the new token.",
         SHAZEER, HEADS),
    Term("logits", "text", ("logits",),
         "The output head’s scores, one for each token of the vocabulary; a softmax turns them into probabilities.",
         TRANSFORMER),
    Term("sampling-temperature", "text", ("temperature", "sampling temperature"),
         "Logits are divided by it before the softmax: below 1 the likely tokens gain, above 1 the unlikely ones do.",
         NUCLEUS),
    Term("top-k", "text", ("top-k sampling", "top-k"), "The next token is drawn from the k most likely ones only.",
         "arXiv 1805.04833"),
    Term("top-p", "text", ("top-p sampling", "top-p", "nucleus sampling"),
         "The next token is drawn from the smallest set of most likely tokens whose probabilities sum to at least p.",
         NUCLEUS),
    Term("greedy", "text", ("greedy decoding", "argmax decoding"),
         "The most likely token is taken at every step, so nothing is left to chance.", NUCLEUS),
    # ---------------------------------------------------------------- serving
    Term("prefill", "serving", ("prefill",),
         "All tokens of a prompt are computed in one pass, which fills the KV cache; it is usually compute-bound.",
         SARATHI, ROOFLINE),
    Term("decode", "serving", ("decode step", "decoding", "decode"),
         "One pass that computes one new token for each sequence; it is usually memory-bound.", SARATHI, ROOFLINE),
    Term("continuous-batching", "serving", ("continuous batching", "iteration-level scheduling", "in-flight batching"),
         "Sequences join and leave the batch at every step, instead of waiting until the whole batch is finished.",
         "Orca, OSDI 2022"),
    Term("chunked-prefill", "serving", ("chunked prefill",),
         "A long prompt is computed in pieces that share steps with sequences that are decoding, so that these do not "
         "have to wait for all of it.", SARATHI),
    Term("paged-attention", "serving", ("paged attention", "PagedAttention", "paged KV cache"),
         "The KV cache is stored in blocks of a fixed number of tokens that may be anywhere in memory, so that little "
         "memory is reserved without being used.", VLLM),
    Term("block-table", "serving", ("block table",),
         "The list that says where in memory each block of a sequence’s keys and values is stored.", VLLM),
    Term("prefix-caching", "serving", ("prefix caching", "prompt caching", "prefix sharing", "RadixAttention"),
         "Keys and values of a beginning that several requests share are computed and stored only once.", SGLANG),
    Term("eviction", "serving", ("eviction", "cache eviction"),
         "When memory is full, cached blocks that no running sequence uses are freed, those unused for longest first.",
         SGLANG),
    Term("preemption", "serving", ("preemption",),
         "When memory runs out, a running sequence is stopped and its blocks are freed; later its keys and values are "
         "computed again or copied back.", VLLM),
    Term("speculative-decoding", "serving", ("speculative decoding", "speculative sampling", "draft model"),
         "A cheap draft proposes several tokens and the model checks them in one pass, without changing the "
         "distribution of its output.", DRAFTS, SPECULATIVE),
    Term("acceptance-rate", "serving", ("acceptance rate",),
         "The share of drafted tokens that the model accepts; it decides whether speculative decoding pays.", DRAFTS,
         SPECULATIVE),
    Term("eagle", "serving", ("EAGLE",),
         "A small head drafts tokens from the model’s own hidden states and the tokens drawn so far.",
         "arXiv 2401.15077", SPECULATIVE),
    Term("medusa", "serving", ("Medusa",),
         "Several heads on the last hidden state each predict a token further ahead; combinations of their guesses are "
         "checked in one pass.", "arXiv 2401.10774", SPECULATIVE),
    # ---------------------------------------------------------------- research
    Term("nsa", "research", ("NSA", "native sparse attention"),
         "Each query attends to compressed blocks, to a few selected blocks and to a sliding window; a gate weights "
         "the three.", "arXiv 2502.11089", SPARSE),
    Term("moba", "research", ("MoBA", "mixture of block attention"),
         "Each query attends to its own block and to the few blocks whose mean key matches it best.",
         "arXiv 2502.13189", SPARSE),
    Term("retnet", "research", ("RetNet", "retention", "retentive network"),
         "Linear attention whose state is multiplied by a fixed decay factor at every token, one factor per head.",
         "arXiv 2307.08621", DELTA),
    Term("gla", "research", ("GLA", "gated linear attention"),
         "Linear attention whose state decays per key channel, by factors computed from each token.",
         "arXiv 2312.06635", DELTA),
    Term("expert-choice", "research", ("expert choice", "expert-choice routing"),
         "Each expert chooses the tokens it processes, up to its capacity, so that all experts have the same load.",
         "arXiv 2202.09368", EXPERTS),
    Term("test-time-memory", "research", ("test-time memory", "test-time training", "neural memory", "TTT", "Titans"),
         "The state is a small model whose weights are updated by gradient descent as each token is read.",
         "arXiv 2501.00663"),
)
# fmt: on
BY_KEY = {one.key: one for one in TERMS}
