"""The library's answers: a plan, relatives, the catalogue, tables, and what a notebook shows of each."""

from __future__ import annotations

import builtins
import html.parser
import json

import pytest

import cutaway
from cutaway import gallery
from cutaway.gallery import catalog
from cutaway.gallery.command import cli

V3, QWEN = "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-8B"
HOSTILE = {
    **catalog.load(QWEN),
    "model_type": "x<script>alert(1)</script>\x1b[31m",
    "architectures": ['<img src=x onerror="alert(1)">'],
    "<b>key</b>": 1,
}


@pytest.mark.whole
def test_a_plan_is_the_command_s(capsys):
    """The same layout in Python and on the command line has the same JSON, key by key."""
    words = ["plan", V3, "--offline", "--on", "gb200:64x4", "--job", "train", "--pp", "4x4", "--ep", "64"]
    words += ["--micro-batch", "2", "--gradient-dtype", "bfloat16", "--sort", "unhidden", "--json"]
    assert cli.main(words) == 0
    theirs = json.loads(capsys.readouterr().out)
    made = cutaway.plan(V3, "gb200:64x4", job="train", pp="4x4", ep=64, micro_batch=2, gradient_dtype="bfloat16",
                        offline=True)  # fmt: skip
    ours = json.loads(json.dumps(made.json("unhidden")))
    theirs["notes"] = theirs["notes"][: len(ours["notes"])]  # the command adds what its copy of the config lacks
    assert ours == {name: theirs[name] for name in ours}
    assert (made.fits, made.says) == (ours["fits"]["fits"], ours["fits"]["says"])
    assert repr(made).startswith(made.says) and f"<b>{made.says}</b>" in made._repr_html_()


WRONG = [
    ({"tpp": 8}, TypeError, "no option 'tpp'. Did you mean tp?"),
    ({"tp": "x"}, ValueError, "tp: 'x' is not a whole number"),
    ({"tp": True}, ValueError, "tp: 'True' is not a whole number"),
    ({"tp": 7}, ValueError, "tp 7 does not divide 128 heads"),
    ({"job": "trian"}, ValueError, "Did you mean train?"),
    ({"cache_dtype": "fp9"}, ValueError, "fp9"),
    ({"on": "h900:1x8"}, ValueError, "No device is called 'h900'"),
    ({"on": ""}, ValueError, ""),
]


@pytest.mark.parametrize(("options", "kind", "says"), WRONG)
def test_a_plan_that_cannot_be_is_a_sentence(options, kind, says):
    """An option that there is none of is a TypeError; a value or a layout that cannot be, a ValueError."""
    with pytest.raises(kind) as refused:
        cutaway.plan(catalog.spec(V3), **{"on": "h200_sxm:1x8", **options})
    assert says in str(refused.value) and "\n" not in str(refused.value)


def test_relatives_are_those_of_the_command(capsys):
    """Nearest, later and descendants as tables; a spec has no date."""
    assert cli.main(["lineage", V3, "--offline", "--json"]) == 0
    theirs = json.loads(capsys.readouterr().out)
    made = cutaway.lineage(V3, offline=True)
    assert made.json() == {name: theirs[name] for name in made.json()}
    assert list(made.nearest.to_pandas()["slug"]) == [one["slug"] for one in theirs["nearest"]]
    assert list(made.descendants.to_pandas().columns) == ["slug", "title", "date"] and len(made.descendants) > 0
    assert repr(made).startswith("DeepSeek V3\nFirst in the catalogue with")
    undated = cutaway.lineage(catalog.spec(V3))
    assert undated.nearest[0]["title"] == "DeepSeek V3" and len(undated.descendants) == 0


@pytest.mark.whole
def test_the_catalogue_is_a_table():
    """A row for each model, the newest first, and whole numbers that stay so beside unknown ones."""
    frame = cutaway.catalogue().to_pandas()
    assert len(frame) == len(catalog.MODELS) and list(frame["date"].dropna()) == sorted(
        frame["date"].dropna(), reverse=True
    )
    row = frame.set_index("slug").loc[V3]
    assert (row["parameters_total"], row["num_hidden_layers"]) == (gallery.parameters(catalog.spec(V3)).total, 61)
    assert str(frame["parameters_total"].dtype) == "Int64" and frame["parameters_total"].isna().any()
    few = cutaway.catalogue("deepseek", sort="parameters_total")
    assert "and" not in repr(few).splitlines()[-1] and few[0]["parameters_total"] >= few[1]["parameters_total"]
    with pytest.raises(ValueError, match=r"sort is one of slug, title, .*, not 'size'"):
        cutaway.catalogue(sort="size")


def test_weights_are_a_table_of_tensors():
    """A tuple equal to the core's; as a DataFrame its sizes add up to the parameters; a long one says what is left."""
    spec = catalog.spec(QWEN)
    made = cutaway.weights(spec)
    assert made == gallery.weights(spec) and made[0] == gallery.weights(spec)[0]
    frame = made.to_pandas()
    total = 0
    for shape in frame["shape"]:
        numbers = 1
        for size in shape:
            numbers *= size
        total += numbers
    assert total == 8_190_735_360 and list(frame.columns) == ["name", "shape", "part", "layer"]
    assert repr(made).splitlines()[-1] == f"and {len(made) - 60} more rows"
    assert made._repr_html_().count("<tr>") == 61


def test_a_comparison_prints_its_verdict():
    """The sentence of the page, then the rows; the DataFrame names units."""
    made = cutaway.compare(QWEN, "Qwen/Qwen3-32B", offline=True)
    assert str(made).startswith(f"{made.verdict}\n\nwhat differs") and made.verdict.startswith("Qwen3 32B is Qwen3 8B")
    frame = made.to_pandas()
    gap = cutaway.parameters(catalog.spec("Qwen/Qwen3-32B")).total - 8_190_735_360
    assert frame["parameters"].sum() == gap and "cache_bytes_per_token" in frame.columns
    same = cutaway.compare(catalog.spec(QWEN), catalog.spec(QWEN))
    assert same == () and str(same) == same.verdict == "B and A: same architecture and sizes; other weights."


def test_a_comparison_of_up_to_six_is_a_picture_and_says_what_each_keeps(tmp_path):
    """The first beside each other one; one file with all of them; bytes at a context, in a format of the cache."""
    slugs = (QWEN, "Qwen/Qwen3-32B", "openai/gpt-oss-20b", "zai-org/GLM-5", "Qwen/Qwen3-4B", "deepseek-ai/DeepSeek-V3")
    made = cutaway.compare(*slugs, offline=True)
    assert [one.names[1] for one in made.pairs] == [catalog.BY_SLUG[slug].title for slug in slugs[1:]]
    assert repr(made).splitlines()[0].startswith("Next to Qwen3 8B, Qwen3 32B has")
    made.save(tmp_path / "six.svg")
    drawn = (tmp_path / "six.svg").read_text()
    assert all(catalog.BY_SLUG[slug].title in drawn for slug in slugs) and drawn == made._repr_svg_()
    kept = [row["cache_bytes"] for row in made.cache(8_192, "float8_e4m3fn")]
    assert kept == [cutaway.memory(catalog.spec(slug), 8_192, "float8_e4m3fn").total_bytes for slug in slugs]
    pair = cutaway.compare(*slugs[:2], offline=True)
    assert pair.draw(dark=True).svg.startswith("<svg ") and len(pair.cache()) == 2
    with pytest.raises(ValueError, match="takes 2 to 6 models, not 7"):
        cutaway.compare(*slugs, QWEN, offline=True)


def test_without_pandas_it_says_what_to_install(monkeypatch):
    """The one sentence instead of a traceback of another package."""
    real = builtins.__import__

    def refused(name, *args, **more):
        if name == "pandas":
            raise ImportError(name)
        return real(name, *args, **more)

    made = cutaway.weights(catalog.spec(QWEN))
    monkeypatch.setattr(builtins, "__import__", refused)
    with pytest.raises(ImportError, match=r"A DataFrame needs pandas: pip install pandas\."):
        made.to_pandas()


def test_the_repr_of_a_spec_fits_ten_lines():
    """For every drawn model: at most ten lines of 110 characters, with its layers and parameters."""
    for row in catalog.drawable_rows():
        lines = repr(catalog.spec(row.slug)).splitlines()
        assert 6 <= len(lines) <= 10 and max(map(len, lines)) <= 110, row.slug
    told = repr(catalog.spec(V3))
    assert "3 × dense 18,432, 58 × MoE" in told and "671 B, 36.6 B active per token" in told and "61 × MLA" in told


class Tags(html.parser.HTMLParser):
    """The names of all elements, and whether each was closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        self.open.append(tag)
        assert [name for name, _ in attrs if name != "style"] == []

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


TABLE = {"table", "caption", "thead", "tbody", "tr", "th", "td", "p", "b", "pre"}


def test_a_notebook_shows_tables_and_no_markup_of_a_config():
    """Specs, counts, tables, comparisons, relatives and plans of a hostile config: our elements alone, all closed."""
    spec = cutaway.read(HOSTILE)
    shown = [
        spec, cutaway.parameters(spec), cutaway.memory(spec, 8192, batch=2), cutaway.flops(spec, 8192),
        cutaway.flops(spec, 8192, prefill=True), cutaway.weights(spec), cutaway.compare(QWEN, HOSTILE, offline=True),
        cutaway.lineage(spec), cutaway.plan(spec, "h200_sxm:1x8"), cutaway.catalogue("qwen3"),
    ]  # fmt: skip
    for one in shown:
        made = Tags(one._repr_html_())
        assert made.names and made.names <= TABLE and made.open == [], type(one)
        assert "\x1b" not in one._repr_html_() + repr(one)
    assert "&lt;script&gt;" in spec._repr_html_()
    assert f"{cutaway.memory(spec, 8192, batch=2).total_bytes:,}" in shown[2]._repr_html_()
    assert "8,190,726,144" in shown[1]._repr_html_()  # without QK-norm, which Qwen3 has by its model_type alone


def test_a_drawing_is_saved_by_its_ending(tmp_path):
    """SVG text, a PNG of the scale that was asked for, a PDF; another ending is one sentence."""
    made = cutaway.draw(catalog.spec(QWEN), title="One")
    for name, start in (("a.svg", b"<svg "), ("a.png", b"\x89PNG"), ("a.pdf", b"%PDF-")):
        made.save(tmp_path / name, scale=0.5)
        assert (tmp_path / name).read_bytes().startswith(start)
    assert int.from_bytes((tmp_path / "a.png").read_bytes()[16:20], "big") == 700
    with pytest.raises(ValueError, match=r"a drawing is written as \.svg, \.png or \.pdf, not as \.jpg"):
        made.save("a.jpg")
    with pytest.raises(OSError):
        made.save("/proc/none/a.png")
