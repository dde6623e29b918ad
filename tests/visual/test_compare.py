"""The picture comparison itself: it must see a moved line and forgive a re-rendered edge."""

from PIL import Image, ImageDraw

from tests.visual.compare import difference


def _line(x: float, grey: int = 0) -> Image.Image:
    image = Image.new("RGB", (100, 100), "white")
    ImageDraw.Draw(image).line([(x, 0), (x, 100)], fill=(grey, grey, grey), width=2)
    return image


def test_equal_pictures_do_not_differ():
    """A picture equals itself."""
    assert difference(_line(50), _line(50))[0] == 0


def test_a_moved_line_differs():
    """A line that moved by three pixels is seen."""
    assert difference(_line(50), _line(53))[0] > 0.02


def test_an_edge_drawn_a_little_lighter_is_forgiven():
    """Another version's anti-aliasing is no difference."""
    assert difference(_line(50), _line(50, 30))[0] == 0


def test_another_size_differs_everywhere():
    """A picture of another size never passes."""
    assert difference(_line(50), Image.new("RGB", (100, 101)))[0] == 1.0
