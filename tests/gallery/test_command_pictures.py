"""A drawing as SVG, PNG or PDF: the same picture as a browser's, or one sentence on why not."""

from __future__ import annotations

import builtins
import io
import re
import zlib

import pytest
from PIL import Image, ImageChops, ImageStat

from cutaway.gallery import catalog, draw
from cutaway.gallery.command.pictures import PictureError, kind_of, picture

QWEN = "Qwen/Qwen3-8B"


@pytest.fixture(scope="module")
def svg():
    return draw(catalog.spec(QWEN), title="Qwen3 <8B> & \\ #")


def test_a_png_has_the_pixels_that_its_scale_says(svg):
    """1,400 units wide: 1,400 pixels at scale 1, 700 at a half."""
    for scale, size in ((1, (1400, 884)), (0.5, (700, 442))):
        made = Image.open(io.BytesIO(picture(svg, "png", scale)))
        assert (made.format, made.size) == ("PNG", size)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("slug", [QWEN, "deepseek-ai/DeepSeek-V3"])
def test_a_png_is_what_a_browser_shows(browser, slug, dark):
    """Light and dark, the picture is Chromium's with our faces, nearer by half than Chromium's with other faces."""
    from cutaway.gallery.command.pictures import FONTS

    svg = draw(catalog.spec(slug), title="One", dark=dark)
    ours = Image.open(io.BytesIO(picture(svg, "png", 1))).convert("RGB")
    faces = "".join(
        f'@font-face{{font-family:"{family}";font-weight:400 700;src:url(data:font/woff2;base64,{encoded(file)})}}'
        for family, file in (("Inter", FONTS / "Inter.woff2"), ("JetBrains Mono", FONTS / "JetBrainsMono.woff2"))
    )
    page = browser.new_page(viewport={"width": ours.width, "height": ours.height})
    right, wrong = (distance(page, ours, f"<style>{style}</style>{svg}") for style in (faces, ""))
    page.close()
    assert right < 0.5 * wrong, (right, wrong)
    assert len(ours.getcolors(1 << 24)) > 50


def distance(page, ours: Image.Image, html: str) -> float:
    """How far a picture is from what a browser shows, of 255 and in the mean over all pixels."""
    page.set_content(f"<style>body{{margin:0}} svg{{display:block}}</style>{html}")
    page.evaluate("document.fonts.ready")
    theirs = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    assert ours.size == theirs.size
    return max(ImageStat.Stat(ImageChops.difference(ours, theirs)).mean)


def encoded(file) -> str:
    import base64

    return base64.b64encode(file.read_bytes()).decode()


def test_a_pdf_is_one_page_of_vectors_with_our_faces(svg):
    """A PDF of one page as large as the drawing; its letters are text of Inter and JetBrains Mono, not pixels."""
    made = picture(svg, "pdf")
    assert made.startswith(b"%PDF-") and made == picture(svg, "pdf")
    inside = made + b"".join(inflated(made))
    assert len(re.findall(rb"/Type\s*/Page\b", inside)) == 1
    assert re.search(rb"/MediaBox\s*\[\s*0 0 1400(\.0)? 884(\.0)?\s*\]", inside)
    assert b"InterVariable" in inside and b"JetBrainsMono" in inside and b"/Subtype/Image" not in inside


def inflated(pdf: bytes) -> list[bytes]:
    found = []
    for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.S):
        try:
            found.append(zlib.decompress(stream))
        except zlib.error:
            continue
    return found


@pytest.mark.parametrize("scale", [0, -1, 0.001, 200, float("nan"), float("inf")])
def test_a_scale_that_is_too_much_is_a_sentence(svg, scale):
    """No pixels, or more than a machine has room for."""
    with pytest.raises(PictureError, match=r"may have a scale from 0\.05 to 9, not"):
        picture(svg, "png", scale)


def test_an_unknown_ending_is_a_sentence():
    """What may be written is named; without an ending it is an SVG."""
    assert [kind_of(name) for name in ("a.svg", "b.PNG", "c.d/e.pdf", "f", "g.h/i", "")] == [
        "svg", "png", "pdf", "svg", "svg", "svg"
    ]  # fmt: skip
    with pytest.raises(PictureError, match=r"x\.gif: a drawing is written as \.svg, \.png or \.pdf, not as \.gif"):
        kind_of("x.gif")


def test_without_typst_it_says_what_to_install(svg, monkeypatch):
    """PNG and PDF need an extra; SVG needs nothing."""
    real = builtins.__import__

    def refused(name, *args, **more):
        if name == "typst":
            raise ImportError(name)
        return real(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", refused)
    assert picture(svg, "svg") == svg.encode()
    with pytest.raises(PictureError, match=r'A \.png file needs Typst: pip install "cutaway\[png\]"'):
        picture(svg, "png")


def test_the_command_writes_what_the_ending_says(run, tmp_path):
    """-o x.png and -o x.pdf are a PNG and a PDF; another ending is refused before anything is read."""
    for name, start in (("x.png", b"\x89PNG\r\n"), ("x.pdf", b"%PDF-"), ("x.svg", b"<svg ")):
        code, out, _ = run("draw", QWEN, "--offline", "-o", str(tmp_path / name), "--scale", "0.5")
        assert (code, out, (tmp_path / name).read_bytes().startswith(start)) == (0, "", True)
    assert Image.open(tmp_path / "x.png").size == (700, 442)
    code, _, err = run("draw", "./none.json", "-o", "x.gif")
    assert (code, err.count("\n"), "a drawing is written as .svg, .png or .pdf" in err) == (2, 1, True)
    code, _, err = run("draw", QWEN, "--offline", "-o", "/proc/x.png")
    assert code == 5 and err.startswith("cutaway: /proc/x.png cannot be written")
    for scale in ("0", "abc", "-1", "1e9"):
        assert run("draw", QWEN, "--offline", f"--scale={scale}", "-o", "x.png")[0] == 2
