"""The catalogue -> a catalogue of as many models as are wanted: its own, and changed copies under new slugs.

A copy has other sizes, and one in eight another mechanism; its house and its date are new. The snapshots are files in
a folder of their own, as the catalogue's are. Call `grow` before anything of app/ is imported: that asks for the rows.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

SIZES = ("intermediate_size", "moe_intermediate_size", "vocab_size", "ffn_hidden_size", "padded_vocab_size")
TOGGLES = ("attention_bias", "tie_word_embeddings", "mlp_bias")  # mechanisms that one key says
OWNER = "house-"
BEGIN, DAYS, HOUSE = date(2023, 7, 1), 1200, 12  # the first day, how many, models of a house


def inner(facts: dict) -> dict:
    """Where the language model's own keys stand."""
    return facts.get("text_config") or facts


def changed(facts: dict, rng: random.Random) -> dict:
    """A copy with other sizes; sometimes with another mechanism."""
    copy = {**facts, **({"text_config": dict(facts["text_config"])} if facts.get("text_config") else {})}
    keys = inner(copy)
    for name in SIZES:
        if isinstance(keys.get(name), int):
            keys[name] += 128 * rng.randrange(1, 40)
    if keys.get("rope_theta"):
        keys["rope_theta"] = rng.choice((10000.0, 100000.0, 500000.0, 1000000.0))
    if not rng.randrange(8):
        name = rng.choice(TOGGLES)
        keys[name] = not keys.get(name)
    return copy


def made(many: int) -> Iterator[tuple]:
    """(row, snapshot) of so many copies of drawn models, each base in turn."""
    from dataclasses import replace

    from cutaway.gallery import catalog
    from cutaway.gallery.catalog import snapshot

    bases, rng = [row for row in catalog.drawable_rows() if not row.variant_of and not row.config_of], random.Random(1)
    for at in range(many):
        base = bases[at % len(bases)]
        day = (BEGIN + timedelta(days=rng.randrange(DAYS))).isoformat()
        owner, name = f"{OWNER}{rng.randrange(many // HOUSE + 1)}", f"{base.slug.partition('/')[2]}-{at}"
        slug = f"{owner}/{name}"
        row = replace(base, slug=slug, repo=slug, title=f"{base.title} {at}", company=owner, date=day, looked_up=None)
        stored = snapshot.read_stored(base.slug)
        yield row, {**stored, "repo": slug, "facts": changed(stored["facts"], rng)}


def grow(many: int, folder: Path, rendered: int = 0) -> None:
    """Let the catalogue have so many rows; all snapshots stand in `folder`, and `rendered` models or all have pages."""
    from cutaway.gallery import catalog
    from cutaway.gallery.catalog import snapshot

    for path in snapshot.CONFIGS.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    rows = []
    for row, snap in made(max(0, many - len(catalog.KNOWN))):
        (folder / snapshot.path_of(row.slug).name).write_text(snapshot.dumps(snap), "utf-8")
        rows.append(row)
    snapshot.CONFIGS = folder
    snapshot._names.cache_clear()
    catalog.KNOWN += tuple(rows)
    catalog.BY_SLUG |= {row.slug: row for row in rows}
    catalog._BY_LOWER |= {row.slug.lower(): row for row in rows}
    catalog.render_first(rendered or many)
