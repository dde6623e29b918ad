"""What the planner's tests share: plans to open, the one that a first visit sees, and where to look."""

from dataclasses import replace

from cutaway.app.plan_page.first_visit import CHOSEN, FIRST, VISIT
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.layout import Layout
from cutaway.gallery.planning.planner_model import PlannerModel
from tests.gallery.sheets import sheet_of

V3 = "?m=deepseek-ai/DeepSeek-V3&on=gb200:4x64&job=train&pp=4x4&ep=64"
FITS = V3 + "&re=parts"  # its activations leave no room but with parts of them computed anew
RANGE = ".lane-range"
GO = "(search) => { history.pushState(null, '', search); dispatchEvent(new PopStateEvent('popstate')); }"
PICK = "&pick=layers.20.mlp.experts.37.gate_proj"


def first_visit() -> tuple[PlannerModel, Layout]:
    """The sheet and the layout that a first visit sees."""
    one = Layout(DEVICES[CHOSEN["device"]], CHOSEN["nodes"], CHOSEN["per_node"], **VISIT)
    return sheet_of(FIRST), replace(one, etp=one.usual_etp)


def at(page, name: str):
    return page.locator(f'[data-at="{name}"]')


def near(page) -> None:
    """The lanes come when they are nearly in view."""
    at(page, "lanes").scroll_into_view_if_needed()
    page.wait_for_selector(RANGE)


def query(page) -> str:
    """The address, once what is typed has reached it: a frame later."""
    return page.evaluate(
        "new Promise((done) => requestAnimationFrame(() => setTimeout(() => requestAnimationFrame("
        "() => setTimeout(() => done(location.search))))))"
    )
