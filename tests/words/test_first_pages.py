"""Six questions that a reader who knew no transformer can answer after next-token, attention and position.

Each has the words of a page that answer it. A page may be written anew, but then it must say the same elsewhere.
"""

from __future__ import annotations

from pathlib import Path

import pytest

PAGES = Path(__file__).parents[2] / "explainers"
QUESTIONS = [  # question, answer, (page, words that say so), ...
    (
        "What comes out of the model, and how does one token come of it?",
        "A score for every token of the vocabulary; a softmax makes probabilities, and one token is taken or drawn.",
        ("next_token", "scores, the **logits**, one for each token of the vocabulary"),
        ("next_token", "**Sampling** draws one by its probability"),
    ),
    (
        "Can a temperature change which token is the likeliest?",
        "No. It divides all logits, so it only sharpens or flattens the probabilities.",
        ("next_token", "all logits are divided by the **temperature**"),
        ("next_token", "The order never changes."),
    ),
    (
        "What are query, key and value, and where do they come from?",
        "What a token looks for, what it is matched by and what is read from it: its state times learnt matrices.",
        ("attention", "a **query** for what it looks for, a **key** that others match against, and a **value**"),
        ("attention", "the token’s state in the residual stream, normalised, times a matrix that was learnt"),
    ),
    (
        "Why is there a causal mask, and why can keys and values be cached?",
        "All places are trained at once, so none may see what follows; so later tokens never change earlier ones.",
        ("attention", "no place may read what comes later"),
        ("next_token", "Keys and values of earlier tokens never change, since a token sees only what is before it."),
    ),
    (
        "How does a token become a vector, and what is in a layer?",
        "By its embedding; a layer is attention and an MLP, and both add to the token's vector.",
        ("next_token", "Each token becomes a vector (its embedding)"),
        (
            "next_token",
            "Each layer is attention, then an MLP that treats each token alone; both add to the token’s vector.",
        ),
    ),
    (
        "Why does a model need positions, and on what does a score depend with RoPE?",
        "Attention without a mask ignores order; with RoPE a score depends on the distance. Values are not rotated.",
        ("position", "Without a mask, attention ignores order."),
        ("position", "in queries and keys (not values)"),
        ("position", "only through the distance between two tokens"),
    ),
]


@pytest.mark.parametrize(("question", "answer", "places"), [(one, two, rest) for one, two, *rest in QUESTIONS])
def test_the_first_three_pages_answer(question, answer, places):
    """The pages say what the answer says; question and answer are whole sentences."""
    assert question.endswith("?") and answer.endswith(".")
    for page, words in places:
        text = " ".join((PAGES / page / "page.md").read_text("utf-8").split())
        assert words in text, (question, page)
