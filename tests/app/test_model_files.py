"""Files beside the pages: a model's for /compare/, what can be asked of it, the search's index, the planner's lists."""

from __future__ import annotations

import json
import re
import struct
from collections import Counter
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from cutaway.app.compare import model_file, request
from cutaway.app.data import dataset
from cutaway.app.model_page import page as models
from cutaway.app.model_page import search_index
from cutaway.app.plan_page import page as plan
from cutaway.app.site import STATIC, Site, assets, cards
from cutaway.gallery import catalog, comparing
from cutaway.gallery.planning import measured
from cutaway.gallery.spec import ConfigError
from tests.one_site import SITE

V3, NEXT, OSS = "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-Next-80B-A3B-Instruct", "openai/gpt-oss-20b"


def test_a_file_names_the_three_nearest_and_rounds_its_weights():
    """What /compare/ offers: earlier ones, its relative of the lineage first; weights have six decimals at most."""
    made = model_file.Compared.listed(SITE.view(NEXT)).file()
    known = comparing.catalogue_lineage()
    assert len(set(made["near"])) == 3 and made["near"][0] == known.of[NEXT].parent.slug
    assert all(known.entries[slug].date < SITE.view(NEXT).row.date for slug in made["near"])
    assert all(len(repr(weight).partition(".")[2]) <= 6 for _, weight in made["mechanisms"])
    assert made["figures"]["context"] == 262_144 and made["figures"]["layers"] == 48
    assert made["ends"] == [151_936, 1]


def test_a_file_of_a_model_without_a_limit_has_a_context_of_nought():
    """RWKV states none."""
    view = next(view for view in SITE.views if view.spec and not view.spec.max_position_embeddings)
    assert model_file.Compared.listed(view).figures["context"] == 0


def test_parts_of_a_file_stand_in_the_order_of_the_page():
    """Sizes first; each field once."""
    fields = model_file.Compared.listed(SITE.view(V3)).fields
    order = [part for part, *_ in fields]
    assert order == sorted(order, key=model_file.PARTS.index)
    assert len({(part, what) for part, what, *_ in fields}) == len(fields)


def asks(*rows: dict) -> request.Asked:
    return request.asked(json.dumps({"models": rows}).encode())


@pytest.mark.parametrize("rows", [(), ({"slug": V3},) * 3, ({},), ({"slug": V3, "config": "{}"},)])
def test_one_or_two_models_can_be_asked_for(rows):
    """None, three, an empty one or one that is both a page's and pasted are refused with the form of a request."""
    with pytest.raises(ConfigError, match="Ask as"):
        asks(*rows)


def test_a_pasted_text_may_have_five_million_characters():
    """One more is refused, and the sentence counts them."""
    text = "x" * request.MOST_PASTED
    assert asks({"config": text}).models[0].config == text and len(asks({"slug": V3}, {"slug": OSS}).models) == 2
    with pytest.raises(ConfigError, match="5,000,001 characters"):
        asks({"config": text + "x"})
    with pytest.raises(ConfigError, match="No drawn model here is called"):
        asks({"slug": "nobody/nothing"})


def test_the_index_of_the_search_is_newest_first_and_has_packings_last():
    """Each model once."""
    rows = json.loads(search_index.search_index(SITE))["models"]
    assert {one["slug"] for one in rows} == {row.slug for row in catalog.MODELS}
    known = [catalog.BY_SLUG[one["slug"]] for one in rows]
    twins = [bool(row.variant_of) for row in known]
    assert twins == sorted(twins)
    for kind in (False, True):
        dates = [row.date or "" for row in known if bool(row.variant_of) is kind]
        assert dates == sorted(dates, reverse=True)


def test_what_is_not_known_is_empty_in_a_table():
    """Nothing for null, lower case for a boolean, words apart by spaces."""
    assert [dataset.cell(value) for value in (None, True, False, ["a", "b"], 0)] == ["", "true", "false", "a b", 0]


def test_models_that_can_be_planned_are_listed_newest_first():
    """Each drawn model once."""
    rows = json.loads(plan.model_list(SITE))
    assert {slug for slug, _ in rows} == {row.slug for row in catalog.drawable_rows()} and len(rows) == len(dict(rows))
    dates = [catalog.BY_SLUG[slug].date or "" for slug, _ in rows]
    assert dates == sorted(dates, reverse=True)


def test_published_runs_stand_with_their_model_as_numbers():
    """What measured.csv has of a model, by its Hub name; words stay words."""
    words = {"device": "h100_sxm", "compute_dtype": "fp8", "release": "1", "precision": ""}
    assert plan.typed({"model": "x", "gpus": "8", **words}) == {"gpus": 8.0, **words}
    known = Counter(row["model"] for row in measured.runs())
    for slug in (V3, "Qwen/Qwen3-8B"):
        view = SITE.view(slug)
        assert len(plan.model(SITE, slug)["runs"]) == known[view.row.repo if view.row.repo != "=" else slug]


def test_files_that_no_page_uses_are_not_sent():
    """What only the workbench needs is there in the live app alone; each file has the type that its name says."""
    static, live = ({page.path: page for page in assets.pages(Site(live=kind))} for kind in (False, True))
    assert {f"/assets/{name}" for name in assets.LIVE} <= live.keys() - static.keys()
    assert not {f"/assets/{name}" for name in assets.UNUSED} & live.keys()
    assert live.keys() - static.keys() == {f"/assets/{name}" for name in assets.LIVE}
    style, picture = static["/assets/css/tokens.css"], static["/assets/card.png"]
    assert 0 < len(style.content()) < len((STATIC / "css" / "tokens.css").read_bytes())
    assert picture.content() == (STATIC / "card.png").read_bytes()
    kinds = {page.path.rpartition(".")[2]: page.type for page in static.values()}
    assert kinds["css"] == "text/css" and kinds["woff2"] == "font/woff2" and kinds["png"] == "image/png"


def test_a_page_is_shown_with_its_own_picture_or_the_common_one():
    """Links to a model that has a card are shown with it, all others with the site's."""
    site = Site("https://a.example/")
    site.cards["/models/x/"] = SimpleNamespace(path="/cards/x.png")
    assert site.card("/models/x/") == "https://a.example/cards/x.png"
    assert site.card("/models/") == "https://a.example/assets/card.png"


def test_icons_are_painted_at_the_sizes_that_they_declare(tmp_path, monkeypatch):
    """An .ico by its own format: a head, one entry with 32 x 32, the length and the place of a PNG behind 22 bytes."""

    @contextmanager
    def painter():
        yield lambda text, width, height: b"\x89PNG" + struct.pack(">12sII", b"", width, height) + bytes(200)

    monkeypatch.setattr(cards, "painter", painter)
    monkeypatch.setattr(cards, "STATIC", tmp_path)
    (tmp_path / "icon.svg").write_text("<svg/>")
    (tmp_path / "fonts").mkdir()
    (tmp_path / "fonts" / "Inter.woff2").write_bytes(b"")
    monkeypatch.setattr(cards, "site_card", lambda site: "")
    cards.icons()
    painted = {
        name: struct.unpack(">II", (tmp_path / name).read_bytes()[16:24]) for name in ("card.png", "touch-icon.png")
    }
    assert painted == {"card.png": (1200, 630), "touch-icon.png": (180, 180)}
    icon = (tmp_path / "favicon.ico").read_bytes()
    *head, length, start = struct.unpack("<HHHBBBBHHII", icon[:22])
    assert head == [0, 1, 1, 32, 32, 0, 0, 1, 32]  # one picture, no palette, one plane, 32 bits a pixel
    assert start == 22 and length == len(icon) - 22
    assert struct.unpack(">II", icon[start + 16 : start + 24]) == (32, 32)


def test_a_drawing_as_a_file_has_light_paper_or_dark():
    """drawing.svg on paper and drawing-dark.svg on ink: each of its ground's channels is above or below the half."""
    made = {
        one.path.rpartition("/")[2]: one.content().decode()
        for one in models.drawings(SITE, OSS)
        if one.path.endswith(".svg")
    }
    grounds = {name: re.search(r'<rect[^>]* fill="#(\w{6})"', text)[1] for name, text in made.items()}
    light = {name: {channel > 127 for channel in bytes.fromhex(ground)} for name, ground in grounds.items()}
    assert light == {"drawing.svg": {True}, "drawing-dark.svg": {False}}
