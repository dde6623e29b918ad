"""/lineage/: every dated model once, beside its relative, and nothing on top of anything else."""

from dataclasses import replace
from functools import cache
from itertools import combinations

from cutaway import gallery
from cutaway.app.lineage import entries
from cutaway.app.lineage import page as lineage
from cutaway.app.lineage.layout import GLYPH, HEAD, ROW, WIDTH, label_at, label_width, laid_out
from cutaway.app.lineage.svg import path
from cutaway.gallery import catalog, comparing

KNOWN = comparing.catalogue_lineage()
plan = cache(lineage.plan)


@cache
def by_slug():
    return {spot.one.slug: spot for spot in plan().spots}


def boxes(spot):
    """(left, top, right, bottom) of a glyph and of its label, in rows' own measure."""
    y = plan().y(spot)
    glyph = (spot.x - GLYPH, y - 8, spot.x + GLYPH, y + 8)
    start = spot.x + label_at(spot.one)
    return glyph, (start, y - 12, start + label_width(spot.one), y + (14 if spot.one.tag else 6))


def touch(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def test_every_structure_is_drawn_once_on_its_day():
    """All near-clone stacks, in the order of their dates but for a few points of room."""
    assert [spot.one.slug for spot in plan().spots] == [one.head.slug for one in KNOWN.structures]
    assert len(KNOWN.entries) == sum(1 + len(spot.one.clones) for spot in plan().spots)
    assert max(abs(spot.shift) for spot in plan().spots) <= 24


def test_no_label_and_no_glyph_meet():
    """Of any two models."""
    pairs = [(a, b, one, other) for a, b in combinations(plan().spots, 2) for one in boxes(a) for other in boxes(b)]
    apart = [(a.one.title, b.one.title) for a, b, one, other in pairs if touch(one, other)]
    assert apart == []
    assert max(boxes(spot)[1][2] for spot in plan().spots) <= WIDTH


def test_no_line_passes_through_a_model():
    """Neither upright nor level: the glyphs that a line does not belong to."""
    through = []
    for spot in plan().spots:
        if not spot.parent:
            continue
        y, top, parent = plan().y(spot), sorted((plan().y(spot), plan().y(spot.parent))), spot.parent
        upright = (spot.upright - 0.5, top[0], spot.upright + 0.5, top[1]) if y != plan().y(parent) else (0, 0, 0, 0)
        level = (min(spot.upright, spot.x), y - 0.5, spot.x - GLYPH, y + 0.5)
        for other in plan().spots:
            if other not in (spot, parent) and any(touch(boxes(other)[0], one) for one in (upright, level)):
                through.append((spot.one.title, other.one.title))
    assert through == []


def test_lines_lead_to_the_nearest_earlier_relative():
    """The one that gallery.comparing names, which is never later."""
    for one in KNOWN.structures:
        spot = by_slug()[one.head.slug]
        assert (spot.parent.one.slug if spot.parent else None) == (one.parent.slug if one.parent else None)
        assert not spot.parent or spot.parent.one.date <= spot.one.date


def test_lanes_go_by_the_rarest_mixer():
    """A hybrid with Mamba is a state-space model, one with a delta rule stands among the linear ones."""
    lanes = {
        "ai21labs/Jamba-v0.1": "ssm",
        "Qwen/Qwen3-Next-80B-A3B-Instruct": "linear",
        "deepseek-ai/DeepSeek-V3.2": "sparse",
        "deepseek-ai/DeepSeek-V3": "latent",
        "mistralai/Mistral-7B-v0.1": "window",
        "mistralai/Mixtral-8x7B-v0.1": "moe",
        "openai-community/gpt2-xl": "dense",
    }
    assert {slug: entries.LANES[by_slug()[slug].lane].key for slug in lanes} == lanes


def test_labels_name_what_is_first_here():
    """And nothing else; what a model changed is told with both signs."""
    assert by_slug()["deepseek-ai/DeepSeek-V3.2"].one.tag == "+ DSA indexer"
    assert by_slug()["meta-llama/Meta-Llama-3-8B"].one.tag == ""
    assert by_slug()["zai-org/GLM-5.2"].one.changes == "+ indexer shared between layers"
    assert by_slug()["Qwen/Qwen-7B"].one.changes == "+ MHA, + QKV bias, − GQA"
    assert by_slug()["openai-community/gpt2-xl"].one.title == "GPT-2 XL 1.5B (2019)"


def test_the_way_from_the_first_ancestor():
    """Step by step back to the oldest model."""
    way = [entry.title for entry in entries.path(KNOWN, "moonshotai/Kimi-K3")]
    assert way[0] == "GPT-2 XL 1.5B"
    assert way[-3:] == ["Moonlight 16B-A3B", "Kimi Linear 48B-A3B", "Kimi K3"]


def test_near_clones_share_a_label():
    """What they have in common is said once; many are counted."""
    assert entries.stacked(["Qwen3 32B"]) == "Qwen3 32B"
    assert entries.stacked(["Qwen3 32B", "Qwen3 4B", "Qwen3 8B"]) == "Qwen3 32B · 4B · 8B"
    assert entries.stacked(["A 1B", "A 2B", "A 3B", "A 4B", "A 5B"]) == "A 1B and 4 more"
    assert entries.stacked(["Kimi", "Moonlight of another name"]) == "Kimi and 1 more"


def test_a_line_bends_once():
    """Level in one row; down or up from the glyph's edge; far offsets leave sideways."""
    assert path(100, 50, 200, 50, 0) == "M107.0 50H192.0"
    assert path(100, 50, 200, 81, 3) == "M103.0 58V76Q103.0 81 108.0 81H192.0"
    assert path(100, 81, 200, 50, 11) == "M107.0 81H111.0V55Q111.0 50 116.0 50H192.0"


def test_undated_models_are_named_and_not_placed():
    """Drawn, no packing of another, no date."""
    named = entries.undated(catalog.MODELS, KNOWN)
    assert all(row.snapshot and not row.date for row in named)
    assert not {row.slug for row in named} & set(KNOWN.of)


def test_a_lanes_words_hold_for_its_models():
    """A model of linear mixers keeps a fixed state in some layers, and nearly all keep a cache that grows in others."""
    lane = next(one for one in entries.LANES if one.key == "linear")
    assert lane.says == "a fixed state in some layers" and "convolution" in lane.title
    held = [one.head for one in KNOWN.structures if entries.LANES[entries.lane_of(one.head.spec)] is lane]
    kept = [gallery.memory(one.spec, 0) for one in held]
    assert held and all(one.fixed_bytes for one in kept)
    assert sum(one.per_token_bytes > 0 for one in kept) >= len(kept) - 1


def test_rows_and_heads_fill_their_lane():
    """The lowest glyph of a lane stands inside its ground."""
    tops = plan().tops()
    for spot in plan().spots:
        assert tops[spot.lane] + HEAD <= plan().y(spot) <= tops[spot.lane] + HEAD + ROW * (plan().rows[spot.lane] - 1)


def test_a_drawing_of_fewer_has_a_relative_of_each():
    """The forty that most descend from, by date, no relative missing; all are drawn while there are few."""
    few = entries.drawn(KNOWN, 40)
    slugs = [one.slug for one in few]
    assert len(few) == 40 and all(one.parent is None or one.parent.slug in slugs for one in few)
    assert slugs == [one.head.slug for one in KNOWN.structures if one.head.slug in slugs]
    assert entries.drawn(KNOWN) == entries.shown(KNOWN)
    plan = laid_out(few)
    assert [spot.one for spot in plan.spots] == few


def test_a_crowd_of_one_day_has_rows_of_its_own():
    """Twenty models of one day, each a child of the one before: every one has a place that no other has."""
    first, second = (spot.one for spot in plan().spots[:2])
    crowd = [first]
    for number in range(20):
        link = replace(second.parent, slug=crowd[-1].slug)
        crowd.append(replace(second, slug=f"crowd/{number}", day=plan().last, parent=link))
    made = laid_out(crowd)
    assert len({(spot.lane, spot.row) for spot in made.spots[1:]}) == 20
