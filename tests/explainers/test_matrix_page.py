"""The matrix page as a reader meets it: maps, a file of one's own, the way to *blocks*, labels, narrow, dark."""

from __future__ import annotations

import json
import struct
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from cutaway import explainers
from cutaway.explainers.fmt import signed
from cutaway.explainers.matrix import rows, weights
from tests.explainers.reader import assert_narrow_and_accessible, lab, posed, state
from tests.guarded import until

reference, data = explainers.reference("matrix"), explainers.data("matrix")


@pytest.fixture
def matrix(learn):
    """Open the page at a state; its lab is ready."""
    return learn("matrix")


MAPS = "(root) => [...root.querySelectorAll('.cw-matrix-maps img')].map((img) => img.src)"
WAITING = ".cw-matrix-maps .wait"


def made(page) -> list[str]:
    """The twelve pictures, once all of them are there."""
    lab(page).dispatch_event("pointerenter")
    until(page, lambda: len(set(lab(page).evaluate(MAPS))) == 12 and lab(page).locator(WAITING).count() == 0)
    return lab(page).evaluate(MAPS)


PIXELS = """async (root) => {
  const img = root.querySelectorAll(".cw-matrix-maps img")[4];
  const bitmap = await createImageBitmap(img);
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  canvas.drawImage(bitmap, 0, 0);
  const { data } = canvas.getImageData(0, 0, bitmap.width, bitmap.height);
  return [bitmap.width, bitmap.height, Array.from(data.filter((_, i) => i % 4 === 3))]; }"""


def test_a_map_is_the_error_of_each_cell(matrix):
    """NVFP4’s zeros in 8 x 8 weights: as much colour as the reference counts zeros there, the first row on top."""
    page = matrix("?shown=zeros")
    made(page)
    wide, high, alphas = lab(page).evaluate(PIXELS)
    assert (wide, high) == (128, 128)
    zeros = weights.errors("nvfp4", weights.matrix(20).plain, False)[1].reshape(128, 8, 128, 8).mean(axis=(1, 3))
    shades = np.array(alphas).reshape(128, 128)
    order = np.argsort(zeros, axis=None, kind="stable")
    steps = np.diff(zeros.reshape(-1)[order]) > 0
    assert (np.diff(shades.reshape(-1)[order].astype(int))[steps] >= 0).all()
    assert len(set(zip(zeros.reshape(-1).tolist(), alphas, strict=True))) == len(set(zeros.reshape(-1).tolist()))


def test_maps_are_made_in_workers_or_by_the_page_itself(matrix):
    """Of the drawing, workers make the twelve maps; where their script cannot be had, the page makes the same ones."""
    page = matrix("?drawn=true")
    beside = made(page)
    assert 1 <= len(page.workers) <= 2
    page.route("**/matrix/worker.js*", lambda route: route.abort())
    assert made(matrix("?drawn=true")) == beside
    assert page.workers == []


def test_a_click_picks_a_scheme_and_a_place_and_opens_blocks(matrix):
    """A click on a map sets the scheme and the block; the link then holds that block’s numbers."""
    page = matrix()
    image = lab(page).locator(".cw-matrix-maps img").nth(4)
    box = image.bounding_box()
    image.click(position={"x": box["width"] * 0.5, "y": box["height"] * 0.25})
    assert (state(page, "scheme"), state(page, "column")) == ("nvfp4", 512)
    row = state(page, "row")
    assert 240 <= row <= 272
    link = page.locator(".cw-matrix-own a")
    link.focus()
    asked = parse_qs(urlsplit(link.get_attribute("href")).query)
    assert asked["scheme"] == ["nvfp4"]
    numbers = np.array([float(text) for text in asked["own"][0].split(",")], np.float32)
    assert numbers.tolist() == weights.matrix(20).plain[row, 512:528].tolist()
    link.click()
    page.wait_for_selector("[data-widget][data-ready]", state="attached")
    assert state(page, "own") == pytest.approx(numbers.tolist(), rel=1e-8)


def sliced(x: np.ndarray) -> bytes:
    """A safetensors file of one matrix, in FP32."""
    header = json.dumps({"w": {"dtype": "F32", "shape": list(x.shape), "data_offsets": [0, x.nbytes]}}).encode()
    return struct.pack("<Q", len(header)) + header + x.tobytes()


def test_a_file_of_ones_own_takes_the_place_of_the_weights(matrix):
    """Its maps and decibels are those of its numbers; a broken file says why; then back to the weights made here."""
    page = matrix()
    x = weights.matrix(23).plain[:256, :512].copy()
    field = page.locator(".cw-matrix-own input[type=file]")
    field.set_input_files({"name": "x.safetensors", "mimeType": "", "buffer": sliced(x)})
    table = lab(page).locator("table tbody tr")
    until(page, lambda: "Q8_0" in table.last.inner_text() and table.count() == len(rows.COSTED))
    for name in ("fp4_tensor", "q4_k", "nvfp4_46", "iq4_nl"):
        error, _, _ = weights.errors(name, x, False)
        wanted = signed(10 * np.log10((x.astype(float) ** 2).sum() / (error**2).sum()), 1)
        line = table.filter(has_text=rows.COSTED[name].label).first.locator("td").nth(1)
        until(page, lambda line=line, wanted=wanted: line.inner_text() == wanted)
    assert "column 300, the largest" in lab(page).inner_text()
    field.set_input_files({"name": "bad.npy", "mimeType": "", "buffer": b"\x93NUMPY\x01\x00"})
    says = page.locator(".cw-matrix-own [role=status]")
    until(page, lambda: "bad.npy" in says.inner_text())
    page.get_by_role("button", name="back to the weights made here").click()
    first = data["sources"]["20"]
    assert reference.compute(reference.STATE, data)["rows"][0]["zeros"] == first["fp4_tensor"][4]
    until(page, lambda: table.first.locator("td").nth(1).inner_text() == "1.4")


LABELS = """(root) => [...root.querySelectorAll(".cw-matrix-scatter g > text")].filter((t) => t.textContent).map(
  (t) => { const b = t.getBoundingClientRect(); return [t.textContent, b.left, b.right, b.top, b.bottom]; })"""


@pytest.mark.parametrize("width", [390, 1400])
def test_labels_of_the_scatter_do_not_collide(matrix, width):
    """No two labels overlap, at any loudness and in the drawing."""
    page = posed(matrix, width, "light")
    for query in ("", "?loud=30", "?drawn=true"):
        page = posed(matrix, width, "light", query)
        found = lab(page).evaluate(LABELS)
        assert len(found) > len(rows.COSTED)
        over = [
            (a[0], b[0])
            for i, a in enumerate(found)
            for b in found[i + 1 :]
            if min(a[2], b[2]) - max(a[1], b[1]) > 1 and min(a[4], b[4]) - max(a[3], b[3]) > 3
        ]
        assert over == [], query


def test_it_is_narrow_dark_and_accessible(matrix):
    """No side scrolling at 320 pixels, and no fault that axe finds, in light and dark."""
    assert_narrow_and_accessible(matrix, "matrix", "", "?drawn=true&shown=values", "?loud=30&scheme=q4_k")
