"""What is typed after an option: the first and the last value that will do, and the complaint about the next one."""

from __future__ import annotations

import argparse

import pytest

from cutaway.gallery.command import values

ENDS = {
    values.contexts: (("0", "8k,1M", "131,072"), ("", "8kk", "1G", "1,2,", "1" * 16)),
    values.positive: (("1", "9" * 9), ("0", "-1", "1.5", "1" * 10)),
    values.number: (("0", "9" * 13), ("-1", "one", "1" * 14)),
    values.tokens: (("1", "8k", "1M"), ("0", "8k,1M")),
    values.share: ((".5", "0.92", "1", "1.0"), ("0", "0.0", "1.01", "92%")),
    values.port: (("1", "65535"), ("0", "65536", "http")),
}


@pytest.mark.parametrize("kind", ENDS, ids=lambda kind: kind.__name__)
def test_what_is_typed_is_a_value_or_a_sentence(kind):
    """The ends of what will do are taken; a step beyond them is refused in words that name what was typed."""
    good, bad = ENDS[kind]
    for text in good:
        kind(text)
    for text in bad:
        with pytest.raises(argparse.ArgumentTypeError) as refused:
            kind(text)
        assert "give" in str(refused.value) or repr(text) in str(refused.value)


def test_contexts_are_powers_of_1024():
    """k and M count as memory does; a comma between thousands is no list."""
    assert values.contexts("8k,128K,1m") == [8_192, 131_072, 1_048_576]
    assert values.contexts("131,072") == [131_072]
    assert values.tokens("32k") == 32_768
    assert (values.share("0.92"), values.port("5006"), values.positive("3")) == (0.92, 5006, 3)
