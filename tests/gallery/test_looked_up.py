"""Tables beside the embedding, of which a token reads a few rows: counted as active, and told apart."""

import pytest

from cutaway.gallery import catalog, parameters
from cutaway.gallery.command.report import facts_lines
from cutaway.gallery.counting.parameters import tables

LOOKED_UP = {  # of the configs: rows times width of each table, and how many
    "meituan-longcat/LongCat-Flash-Lite": sum((78 * 131_072 + 2 * i + 1) * 256 for i in range(12)),
    "google/gemma-3n-E4B": 262_144 * 35 * 256,
    "google/gemma-4-E4B-it": 262_144 * 42 * 256,
    "deepseek-ai/DeepSeek-V4-Flash": 0,
    "openai-community/gpt2-xl": 0,
}


@pytest.mark.parametrize("slug", sorted(LOOKED_UP))
def test_tables_that_tokens_look_up_are_told_apart(slug):
    """They count as active, as the embedding does, though a token reads a few rows: how much that is can be said."""
    spec = catalog.spec(slug)
    assert tables(spec) == LOOKED_UP[slug] < parameters(spec).active
    lines = "\n".join(facts_lines(spec))
    assert ("of which a token reads a few rows" in lines) is bool(LOOKED_UP[slug])
