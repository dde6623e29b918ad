"""An axis and a job -> what it splits, what it copies, who talks, and what is sent: the words of the page, once."""

WORDS: dict[str, dict] = {
    "dp": {
        "name": "data", "long": "data parallel",
        "train": {"split": "the sequences of a step", "copied": "weights, gradients, optimizer",
                  "talk": "all ranks, once a step", "sent": "every gradient, summed"},
        "decode": {"split": "the readers", "copied": "all weights", "talk": "nobody", "sent": "nothing"},
    },
    "zero": {
        "name": "ZeRO", "long": "data parallel with ZeRO 3",
        "train": {"split": "sequences and all that is kept", "copied": "one layer's weights, while it runs",
                  "talk": "all ranks, at every layer", "sent": "weights there, twice; gradients back"},
        "decode": {"split": "nothing", "copied": "all weights", "talk": "nobody", "sent": "nothing"},
    },
    "tp": {
        "name": "tensor", "long": "tensor parallel",
        "train": {"split": "heads, columns of MLPs, and tokens between",
                  "copied": "norms and routers; KV heads if they are few",
                  "talk": "all ranks, about four times a layer", "sent": "the stream of every token"},
        "decode": {"split": "heads, and columns of every MLP", "copied": "latents; KV heads if they are few",
                   "talk": "all ranks, twice a layer", "sent": "one vector for each reader"},
    },
    "pp": {
        "name": "pipeline", "long": "pipeline parallel",
        "train": {"split": "the layers", "copied": "nothing; but early stages keep many micro-batches",
                  "talk": "neighbours, once a micro-batch", "sent": "the stream, and its gradient back"},
        "decode": {"split": "the layers, and with them the cache", "copied": "nothing",
                   "talk": "neighbours, once a token", "sent": "one vector for each reader"},
    },
    "cp": {
        "name": "context", "long": "context parallel",
        "train": {"split": "the tokens of each sequence", "copied": "weights, gradients, optimizer",
                  "talk": "all ranks, at every attention", "sent": "keys and values, and every gradient"},
        "decode": {"split": "the cached tokens, beside tensor ranks", "copied": "weights, as tensor ranks do",
                   "talk": "the ranks that share a cache", "sent": "queries, and partial results"},
    },
    "ep": {
        "name": "expert", "long": "expert parallel",
        "train": {"split": "the experts, and the sequences", "copied": "all that is no expert",
                  "talk": "all ranks, at every layer with experts", "sent": "tokens to their experts and back"},
        "decode": {"split": "the experts, and the readers", "copied": "all that is no expert",
                   "talk": "all ranks, at every layer with experts", "sent": "tokens to their experts and back"},
    },
}  # fmt: skip
