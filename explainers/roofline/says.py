"""What was computed of a step -> the sentences that the lab prints of it. Twin of the last part of compute.js."""

from __future__ import annotations

from cutaway.explainers import fmt


def count(n: int, word: str) -> str:
    """1 sequence, 2 sequences."""
    return f"{fmt.integer(n)} {word}{'' if n == 1 else 's'}"


def named(row: dict) -> str:
    """A block as a sentence names it: MLPs (dense 14,336), GQA cache."""
    if row["half"] != "mlp":
        return row["label"].replace(": ", " ", 1)
    return f"{'experts' if row['role'] == 'moe' else 'MLPs'} ({row['label']})"


def most(now: dict) -> str:
    """Which block bounds the step."""
    if not now["total"]["ms"]:
        return "Nothing is done."
    row = now["rows"][now["most"]]
    return f"{fmt.percent(row['share'], 0)} of the time goes to the {named(row)}; the limit is {row['binds']}."


def waits(now: dict) -> str:
    """From which batch on weights are no longer what decoding waits for."""
    what = "experts" if any(row["role"] == "moe" for row in now["rows"]) else "MLPs"
    found = [(now["mixer"], "mixer projections"), (now["mlp"], what)]
    told = [f"{name} up to {count(one['waits'], 'sequence')}" for one, name in found if one["waits"] > 0]
    return f"While decoding, reading weights is the limit for {' and for '.join(told)}." if told else ""


def rule(state: dict, now: dict) -> str:
    """Where the cache outgrows the weights."""
    tokens, sequences = now["rule"]["tokens"], now["rule"]["sequences"]
    many = count(state["batch"], "sequence")
    first = (
        f"The cache of {many} never outgrows the weights that a step reads"
        if tokens < 0
        else f"Up to {count(tokens, 'token')}, the cache of {many} is smaller than the weights that a step reads"
        if tokens
        else f"The cache of {many} is larger than the weights that a step reads at any length"
    )
    length = count(state["context"], "token")
    passing = f"the cache of {count(sequences, 'sequence')} exceeds them"
    second = "no batch size makes it larger" if sequences < 0 else passing
    return f"{first}; at {length} {second}."


def peaks(now: dict, alone: str, forms: tuple[str, ...]) -> str:
    """Which peaks products with weights take, and why; forms from the slowest."""
    worth = [row for row in now["rows"] if row["flops"] and row["half"] != "past"]
    found = [mine for form in reversed(forms) if (mine := [row for row in worth if row["form"] == form])]
    rates = [f"in {mine[0]['form']}, at {fmt.fixed(mine[0]['peak'] / 1e12, 0)} TFLOP/s" for mine in found]
    told = [f"{rate} {of(mine) if i else 'per GPU'}" for i, (rate, mine) in enumerate(zip(rates, found, strict=True))]
    return f"Matrix products with weights run {'; '.join(told)}{f'; only the weights are {alone}' if alone else ''}."


def of(rows: list[dict]) -> str:
    return f"({', '.join(dict.fromkeys(row['label'] for row in rows))})"


def sentences(state: dict, now: dict, alone: str, forms: tuple[str, ...]) -> dict[str, str]:
    return {
        "most_says": most(now),
        "fits_says": "they fit" if now["room"]["fits"] else "they do not fit",
        "peaks_says": peaks(now, alone, forms),
        "waits_says": waits(now),
        "rule_says": rule(state, now),
    }
