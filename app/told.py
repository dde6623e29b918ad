"""What the glossary says of each mechanism, beside what gallery/comparing/mechanisms.py knows: key -> a plain sentence,
further names that readers type, and the explainers that teach it. Adding a mechanism is a row there and one here.
"""

from __future__ import annotations

from typing import NamedTuple


class Told(NamedTuple):
    """`says` holds for every model that has it: sizes and places stand on the models' own pages."""

    says: str
    words: tuple[str, ...] = ()
    learn: tuple[str, ...] = ()


MASKS, HEADS, DELTA, PLACE = ("masks",), ("heads",), ("delta-rule", "decoder"), ("position",)
EXPERTS, ROUTERS, LONG = ("experts", "expert-parallel"), ("experts",), ("long-context",)
AROUND = ("around-the-block",)

TOLD: dict[str, Told] = {
    # ------------------------------------------------------------ mixers: who reads whom
    "mha": Told(
        "Every query head has a key head and a value head of its own, and all of them are cached.", learn=HEADS
    ),
    "gqa": Told(
        "Several query heads share one key and value head, so the cache is smaller by their number.", learn=HEADS
    ),
    "mqa": Told(
        "All query heads share a single key and value head: the smallest cache of plain attention.", learn=HEADS
    ),
    "mla": Told(
        "Keys and values of all heads are read out of one short vector per token, and only that vector and a "
        "small rotated key are cached.",
        ("multi-head latent attention",),
        ("mla-numbers", *HEADS),
    ),
    "csa": Told("A few tokens become one cached entry, and an indexer picks which entries a query reads.", learn=LONG),
    "hca": Told("Many tokens become one cached entry, so few are left that a query can read all of them.", learn=LONG),
    "cca": Told(
        "Queries and keys pass short convolutions inside a compressed space before they meet.", ("CCA attention",)
    ),
    "relative": Told(
        "Every distance between two tokens has a learned number that is added to their score.",
        ("relative position bias",),
    ),
    "expert-heads": Told(
        "A router picks which query heads a token asks with, as it would pick experts.", ("mixture of attention heads",)
    ),
    "gated-deltanet": Told(
        "A state of fixed size fades by a gate, and each token corrects what the state answers for its key.",
        ("GDN", "gated delta rule"),
        DELTA,
    ),
    "kda": Told(
        "The delta rule with a fading of its own for every key channel, where Gated DeltaNet has one per head.",
        learn=DELTA,
    ),
    "lightning": Told(
        "Keys and values are summed into a state that fades by a fixed factor: no softmax, no cache.",
        ("TransNormer",),
        DELTA,
    ),
    "mamba1": Told(
        "Each channel keeps a short state that the token itself decides how far to forget and to fill.",
        ("Mamba 1", "selective state space"),
    ),
    "mamba2": Told(
        "A selective state space with one rate of forgetting per head, which makes it a masked matrix product.",
        ("Mamba 2", "SSD", "state space duality"),
        DELTA,
    ),
    "mlstm": Told("A matrix memory: an exponential gate takes in, a sigmoid gate forgets.", ("xLSTM",)),
    "rg-lru": Told("One fading number per channel behind gates, as Griffin has it.", ("Griffin", "RecurrentGemma")),
    "rwkv4": Told("A mean of past values that fades channel by channel.", ("RWKV",)),
    "rwkv7": Told(
        "A generalised delta rule: the state fades per channel and is corrected along a learned direction.",
        ("RWKV", "Goose"),
    ),
    "short-conv": Told(
        "Each channel is mixed over its last few tokens behind two gates, and nothing older is seen.",
        ("gated convolution", "LIV"),
    ),
    "one-matrix": Told(
        "A layer whose attention was replaced by one matrix, so that its tokens do not see each other.",
        ("linear replacement", "Puzzle"),
    ),
    # ------------------------------------------------------------ mixers: how far, which, what else
    "window": Told(
        "A token sees only so many tokens before it, and the cache of such a layer stops growing.",
        ("sliding window attention", "SWA", "local attention", "windowed attention"),
        MASKS,
    ),
    "window-mix": Told(
        "Some layers see a window, others the whole text.",
        ("interleaved windows", "local and global attention"),
        (*MASKS, *LONG),
    ),
    "chunks": Told("The text is cut into chunks, and a token sees only its own.", ("chunked local attention",), MASKS),
    "dsa": Told(
        "A small indexer scores all earlier tokens, and attention reads only the best of them.",
        ("DSA", "DeepSeek sparse attention", "lightning indexer"),
        LONG,
    ),
    "shared-indexer": Told(
        "A layer reads the tokens that an earlier layer's indexer has picked.", ("index sharing",), LONG
    ),
    "block-indexer": Told(
        "A small indexer scores blocks of tokens, and attention reads the best blocks.",
        ("block-sparse attention", "block sparse"),
        LONG,
    ),
    "pooled-indexer": Told(
        "An indexer scores means of a few keys, and the best means bring their tokens.", ("pooled index",), LONG
    ),
    "sinks": Told(
        "A learned logit per head joins the softmax and gives nothing, so that a head may look at nothing.",
        ("attention sinks", "sink logits"),
        MASKS,
    ),
    "softcap": Told(
        "Attention scores are pressed through a tanh so that none grows beyond a limit.",
        ("logit softcap", "soft-capping"),
        learn=AROUND,
    ),
    "output-gate": Told(
        "What attention returns is multiplied number by number by a gate that the token computes.",
        ("gated attention",),
        learn=AROUND,
    ),
    "headwise-gate": Told(
        "One number per head, computed from the token, opens or shuts what that head returns.",
        ("gated attention",),
        learn=AROUND,
    ),
    "mla-gate": Told("Latent attention whose output passes a gate.", ("gated MLA",), learn=AROUND),
    "query-latent": Told(
        "Queries, too, are made in two steps through a short vector.", ("q_lora_rank", "query compression")
    ),
    "k-is-v": Told("The values are the keys: one projection less.", ("shared keys and values",)),
    "shared-kv": Told(
        "A layer reads the keys and values of an earlier layer and caches none of its own.",
        ("KV sharing", "shared KV cache", "cross-layer attention", "CLA"),
        learn=AROUND,
    ),
    "cross": Told("Some layers ask text queries of keys and values that come from an image."),
    "temperature": Told(
        "Queries grow slowly with their position, so that attention stays sharp in long texts.",
        ("attention temperature", "scalable softmax"),
    ),
    "clip": Told("Queries, keys and values are cut off at a limit, which keeps training stable.", ("clip_qkv",)),
    "v-norm": Told("Values are normalised before they are summed.", learn=AROUND),
    "value-scale": Told("Values are multiplied by one constant."),
    "differential": Told(
        "Two softmaxes are taken, and one is subtracted from the other, to cancel noise.", ("Diff Transformer",)
    ),
    "dynamic-mask": Told("The values themselves decide which keys are seen, and how strongly.", ("Doge",)),
    "grouped-output": Told("What the heads return goes back to the stream through small matrices, group by group."),
    "lora-shared": Told("Layers use the same weights, each with a small low-rank correction of its own.", ("LoRA",)),
    # ------------------------------------------------------------ MLPs
    "swiglu": Told(
        "One matrix makes a gate, another the values; SiLU of the gate multiplies them.", ("SiLU", "gated MLP")
    ),
    "geglu": Told("The same as SwiGLU with GELU on the gate.", ("GeGLU",)),
    "gelu": Told("Up, GELU, down: the MLP of GPT-2, without a gate."),
    "relu2": Told("The activation is ReLU, squared, without a gate.", ("squared ReLU", "relu2")),
    "xielu": Told("An activation whose two branches have learned strengths."),
    "situ": Told("An activation whose gate and values are held in by tanh."),
    "swigluoai": Told(
        "SwiGLU with a steeper gate, values shifted by one, and both cut off at a limit.", ("gpt-oss SwiGLU",)
    ),
    "sparse-gate": Told("Only the largest gates of a token stay, the others become zero.", ("activation sparsity",)),
    "channel-mix": Told("RWKV's MLP: squared ReLU on a token mixed with the one before it."),
    "moe": Told(
        "A router sends each token to a few of many MLPs, so that most weights rest.",
        ("mixture of experts", "routed experts"),
        EXPERTS,
    ),
    "shared-expert": Told(
        "Beside the routed experts stands one that every token visits.", ("shared experts",), EXPERTS
    ),
    "shared-gate": Told("A gate of one number decides how much the shared expert says.", learn=ROUTERS),
    "shared-routed": Told("The router also weighs the experts that every token visits.", learn=ROUTERS),
    "groups": Told(
        "Experts stand in groups, and a token may choose only within its best groups.",
        ("group-limited routing", "node-limited routing"),
        EXPERTS,
    ),
    "sigmoid-router": Told(
        "Each expert's score is a sigmoid of its own logit, independent of the others.", ("sigmoid gating",), EXPERTS
    ),
    "sqrtsoftplus-router": Told(
        "Each expert's score is the root of a softplus of its logit.", ("sqrtsoftplus",), learn=ROUTERS
    ),
    "hash-router": Told(
        "A table says which experts a token visits, whatever surrounds it.", ("hash layers",), learn=ROUTERS
    ),
    "router-network": Told(
        "The router is a small network of its own, which remembers the layer before.", learn=ROUTERS
    ),
    "sparsemixer": Told(
        "The chosen experts are weighed one after the other, each among those that come near it.", learn=ROUTERS
    ),
    "zero-experts": Told(
        "Some experts have no weights and return their input, so that easy tokens cost less.",
        ("zero-computation experts", "identity experts"),
        learn=ROUTERS,
    ),
    "latent-experts": Told(
        "Tokens are projected into a shorter vector before the experts, and back behind them.",
        ("latent MoE",),
        learn=ROUTERS,
    ),
    "on-input": Told("The router's weight multiplies what goes into an expert, not what comes out.", learn=ROUTERS),
    "own-router-input": Told(
        "The router reads a copy of the stream that is normalised and scaled for it alone.", learn=ROUTERS
    ),
    "dense-beside": Told(
        "A dense MLP runs beside the experts, and both are added.", ("dense MoE hybrid",), learn=ROUTERS
    ),
    "product-keys": Told(
        "Experts of one number each are found by two short lists of keys.",
        ("PEER", "product key memory"),
        learn=ROUTERS,
    ),
    # ------------------------------------------------------------ norms
    "layernorm": Told(
        "Each vector loses its mean and is divided by its deviation.", ("layer normalization",), learn=AROUND
    ),
    "rmsnorm": Told(
        "Each vector is divided by its root mean square; the mean stays.", ("root mean square norm",), learn=AROUND
    ),
    "post-norm": Told(
        "What a mixer or an MLP found is normalised before it is added to the stream.", ("sandwich norm",), learn=AROUND
    ),
    "no-pre-norm": Told(
        "Mixer and MLP read the stream without a norm in front of them.", ("OLMo 2 norm",), learn=AROUND
    ),
    "stream-norm": Told(
        "The stream itself is normalised after each sum, as in the first transformer.", ("post-LN",), learn=AROUND
    ),
    "qk-norm": Told(
        "Queries and keys are normalised head by head before they meet.",
        ("query-key normalisation", "query-key normalization"),
        learn=AROUND,
    ),
    "qk-norm-full": Told(
        "Queries and keys are normalised over all heads at once before they meet.", ("QK-norm",), learn=AROUND
    ),
    "qk-norm-bare": Told(
        "Queries and keys are normalised without learned weights.",
        (
            "QK-norm",
            "L2 norm of queries and keys",
        ),
        learn=AROUND,
    ),
    "sub-norm": Told(
        "A norm stands inside a half, in front of its last matrix.", ("sub-LN", "BitNet norm"), learn=AROUND
    ),
    "state-norms": Told("What feeds Mamba's state is normalised.", learn=AROUND),
    "gated-norm": Told("A small MLP decides how much of a normalised vector goes on.", learn=AROUND),
    # ------------------------------------------------------------ position
    "rope": Told(
        "Pairs of numbers in queries and keys are turned by their position, so that scores see distances.",
        ("rotary", "rotary position embedding"),
        PLACE,
    ),
    "partial-rope": Told(
        "Only a part of each head is rotated, the rest knows no position; latent attention, whose keys have a rotated "
        "part by design, is not counted.",
        ("partial rotary",),
        PLACE,
    ),
    "proportional-rope": Told(
        "Only the fast frequencies of the rotation turn, the slow ones stand still.", ("p-RoPE",)
    ),
    "nope": Told(
        "Some layers of attention see no position, while others are rotated.",
        ("NoPE", "no position embedding", "no positional encoding", "RNoPE", "iRoPE"),
        PLACE,
    ),
    "no-position": Told(
        "No layer of attention sees a position: the recurrent layers know the order.",
        ("NoPE", "no positional encoding"),
        PLACE,
    ),
    "alibi": Told("Scores fall with the distance, by a slope per head.", ("linear biases",)),
    "learned-position": Told(
        "Every place in the text has a learned vector that is added to the token's.", ("absolute position embedding",)
    ),
    # ------------------------------------------------------------ biases
    "qkv-bias": Told("The projections of queries, keys and values add a learned vector.", ("attention bias",)),
    "o-bias": Told("The projection behind attention adds a learned vector."),
    "mlp-bias": Told("The matrices of the MLP add learned vectors."),
    # ------------------------------------------------------------ block
    "parallel": Told(
        "Attention and MLP read the same input, and both are added at once.",
        ("parallel block", "parallel attention"),
        learn=AROUND,
    ),
    "both-mixers": Told(
        "Attention and a state space stand side by side in one layer.", ("hybrid heads",), learn=AROUND
    ),
    "double-layer": Told("A layer has two mixers, one after the other.", learn=AROUND),
    "shortcut-experts": Told(
        "Experts read what a layer's first MLP reads, and what they find is added at the layer's end, so that they may "
        "run beside all that stands between.",
        ("shortcut-connected MoE", "ScMoE"),
        learn=AROUND,
    ),
    "early-experts": Told(
        "Experts read what enters a layer, not what attention leaves, and what they find is added at the layer's end.",
        learn=AROUND,
    ),
    "lone-halves": Told("A layer is a mixer alone or an MLP alone.", learn=AROUND),
    "hyper-connections": Told(
        "Several residual streams run side by side; each half reads a weighed sum of them and writes to all.",
        ("mHC", "manifold-constrained hyper-connections"),
        learn=AROUND,
    ),
    "gated-streams": Told("Several residual streams, read through a gate for every number.", learn=AROUND),
    "ngrams": Told("The last few tokens look up a vector that is added.", ("n-gram embedding",), learn=AROUND),
    "altup": Told(
        "Several streams of which a layer computes one, and corrects the others by what it learned.",
        ("alternating updates",),
        learn=AROUND,
    ),
    "laurel": Told("A low-rank residual beside the usual one.", learn=AROUND),
    "per-layer": Told(
        "Every layer looks the token up again in a small table of its own.",
        ("PLE", "per-layer embedding"),
        learn=AROUND,
    ),
    "depth-attention": Told("A half reads a softmax over what earlier blocks of layers left.", learn=AROUND),
    "convolved-halves": Told("A short convolution over the last tokens stands behind each half.", learn=AROUND),
    "scaled-stream": Told("Stream and addition are weighed by learned numbers at every sum.", learn=AROUND),
    "normed-stream": Told(
        "A half's answer is added to its normalised input, not to the raw stream.", ("DeepNorm",), learn=AROUND
    ),
    "residual-scale": Told(
        "What a half gives is multiplied by one constant before it is added.",
        ("residual multiplier", "muP"),
        learn=AROUND,
    ),
    "shared-block": Told("One transformer block is used again in several places.", ("Zamba block",), learn=AROUND),
    "loops": Told(
        "The whole stack runs several times with the same weights.",
        ("looped", "loops", "recurrent depth", "universal transformer"),
        learn=AROUND,
    ),
    "two-speeds": Told(
        "A fast stack runs several times for each step of a slow one.",
        ("hierarchical reasoning model", "HRM"),
        learn=AROUND,
    ),
    "mtp": Told(
        "A further layer predicts the token after the next one, in training or to draft ahead.",
        ("MTP", "nextn", "speculative layer"),
        learn=AROUND,
    ),
    "logit-softcap": Told(
        "Logits are pressed through a tanh so that none grows beyond a limit.",
        ("final logit softcapping",),
        learn=AROUND,
    ),
    "bidirectional": Told(
        "Every token sees every other: an encoder or a diffusion model, without a cache.", ("diffusion", "encoder")
    ),
}
