"""Two pictures -> the share of pixels that differ, and a PNG that shows where.

A light blur first, so that another version's anti-aliasing passes and a moved line does not.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageChops, ImageFilter

HERE = Path(__file__).parent
SHOTS = HERE / "shots"
OUT = HERE / ".out"
STEP = 36  # of 255: what one channel may be off after the blur before a pixel counts as different


def difference(expected: Image.Image, actual: Image.Image) -> tuple[float, Image.Image]:
    """The share (0 to 1) of pixels that differ, and a mask of them; another size differs everywhere."""
    if expected.size != actual.size:
        return 1.0, Image.new("L", actual.size, 255)
    blurred = [image.convert("RGB").filter(ImageFilter.BoxBlur(1)) for image in (expected, actual)]
    bands = ImageChops.difference(*blurred).split()
    worst = ImageChops.lighter(ImageChops.lighter(bands[0], bands[1]), bands[2])
    mask = worst.point(lambda value: 255 if value > STEP else 0)
    return mask.histogram()[255] / (mask.width * mask.height), mask


def save(image: Image.Image, path: Path) -> None:
    """A palette PNG: a third of the bytes, and flat colours lose nothing the comparison could see."""
    path.parent.mkdir(parents=True, exist_ok=True)
    image.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


def check(actual: Image.Image, name: str, tolerance: float, update: bool) -> str:
    """'' when the picture is the kept one (or was just kept), else the sentence that says what differs and where."""
    kept = SHOTS / f"{name}.png"
    if update:
        if not kept.exists() or difference(Image.open(kept), actual)[0] > tolerance / 4:
            save(actual, kept)
        return ""
    if not kept.exists():
        save(actual, OUT / f"{name}.new.png")
        return f"no kept picture {kept.name}: look at {OUT / name}.new.png, then run pytest --update-shots"
    expected = Image.open(kept)
    share, mask = difference(expected, actual)
    if share <= tolerance:
        return ""
    save(actual, OUT / f"{name}.new.png")
    red = Image.new("RGB", actual.size, (220, 0, 60))
    save(Image.composite(red, actual.convert("RGB"), mask), OUT / f"{name}.diff.png")
    return f"{name}: {share:.2%} of pixels differ ({expected.size} kept, {actual.size} now); see {OUT / name}.diff.png"
