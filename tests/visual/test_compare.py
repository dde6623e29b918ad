"""The picture comparison itself: it must see a moved line and forgive a re-rendered edge."""

import io

import pytest
from PIL import Image, ImageDraw

from tests.visual.compare import difference
from tests.visual.taken import given_room, taken


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


MOVING = """() => {
  document.body.innerHTML = "<div id=above></div><div id=part></div>";
  const [above, part] = document.body.children;
  Object.assign(part.style, { background: "red", height: "30px", width: "40px" });
  for (let n = 1; n < 30; n += 1) setTimeout(() => { above.style.height = `${20.3 + 7 * n}px`; }, 40 * n);
}"""


def test_a_part_that_moves_is_taken_again(page):
    """While what is above a part grows, by parts of a pixel, its picture shows the part and nothing beside it."""
    page.evaluate(MOVING)
    picture = Image.open(io.BytesIO(taken(given_room(page.locator("#part"))))).convert("RGB")
    assert (picture.size, picture.getcolors()) == ((40, 30), [(1200, (255, 0, 0))])


class Restless:
    """A part that has moved after each of its first pictures."""

    def __init__(self, places: list) -> None:
        self.places, self.pictures = iter(places), 0

    def scroll_into_view_if_needed(self) -> None:
        pass

    def evaluate(self, script: str) -> object:
        return next(self.places)

    def screenshot(self, **options: object) -> bytes:
        self.pictures += 1
        return str(self.pictures).encode()


def test_what_moved_meanwhile_is_taken_again_and_not_for_ever():
    """The picture that counts is the first before and after which a part stood at one place; five tries are enough."""
    assert taken(Restless([[1, 9], [2, 9], [3, 9], [3, 8], [4, 9], [4, 9]])) == b"3"
    with pytest.raises(AssertionError, match="come to rest"):
        taken(Restless(list(range(10))))
