"""An axis and a job -> what it splits and copies, who communicates, what is sent: the words of the page, once."""

WORDS: dict[str, dict] = {
    "dp": {
        "name": "data", "long": "data parallel",
        "train": {"split": "the sequences of a step", "copied": "weights, gradients, optimizer",
                  "talk": "all ranks, once per step", "sent": "every gradient, summed"},
        "decode": {"split": "the users", "copied": "all weights", "talk": "nobody", "sent": "nothing"},
    },
    "zero": {
        "name": "ZeRO", "long": "data parallel with ZeRO 3",
        "train": {"split": "sequences, weights, gradients, optimizer", "copied": "one layer's weights, while it runs",
                  "talk": "all ranks, in every layer", "sent": "weights, gathered twice; gradients, once"},
        "decode": {"split": "nothing", "copied": "all weights", "talk": "nobody", "sent": "nothing"},
    },
    "tp": {
        "name": "tensor", "long": "tensor parallel",
        "train": {"split": "heads, MLP columns, and tokens in between",
                  "copied": "norms and routers; KV heads if there are few",
                  "talk": "all ranks, about four times per layer", "sent": "every token's activations"},
        "decode": {"split": "heads, and columns of every MLP", "copied": "latents; KV heads if there are few",
                   "talk": "all ranks, twice per layer", "sent": "one vector per user"},
    },
    "pp": {
        "name": "pipeline", "long": "pipeline parallel",
        "train": {"split": "the layers", "copied": "nothing, but early stages store many micro-batches",
                  "talk": "neighbours, once per micro-batch", "sent": "activations, and their gradients back"},
        "decode": {"split": "the layers and their cache", "copied": "nothing",
                   "talk": "neighbours, once per token", "sent": "one vector per user"},
    },
    "cp": {
        "name": "context", "long": "context parallel",
        "train": {"split": "the tokens of each sequence", "copied": "weights, gradients, optimizer",
                  "talk": "all ranks, in every attention layer", "sent": "keys and values, and every gradient"},
        "decode": {"split": "the cached tokens, over tensor-parallel ranks", "copied": "what tensor parallelism copies",
                   "talk": "the ranks that share a cache", "sent": "queries, and partial results"},
    },
    "ep": {
        "name": "expert", "long": "expert parallel",
        "train": {"split": "the experts, and the sequences", "copied": "everything except experts",
                  "talk": "all ranks, in every layer with experts", "sent": "tokens to their experts and back"},
        "decode": {"split": "the experts, and the users", "copied": "everything except experts",
                   "talk": "all ranks, in every layer with experts", "sent": "tokens to their experts and back"},
    },
}  # fmt: skip
