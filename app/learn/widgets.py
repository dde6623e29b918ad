"""Explainers -> Panel widgets: one AnyWidgetComponent class per folder, its state as parameters synced both ways.

`panel(name, query)` is what the workbench shows at /app?learn=<name>&...; the rest of the query is the widget's state.
"""

from __future__ import annotations

from functools import cache
from html import escape
from typing import Any

import panel as pn
import param
from panel.custom import AnyWidgetComponent

from cutaway import explainers
from cutaway.app.site import style_sheet
from cutaway.explainers import permalink

# One entry in the history for each burst of changes; back and forward come back as a new `search`.
ADDRESS_JS = """
export default {
  render({ model }) {
    let until = 0;
    const write = () => {
      if (model.get("search") === location.search) return;
      const push = performance.now() > until;
      until = performance.now() + 500;
      history[push ? "pushState" : "replaceState"](null, "", model.get("search") || location.pathname);
    };
    const read = () => { model.set("search", location.search); model.save_changes(); };
    model.on("change:search", write);
    addEventListener("popstate", read);
    return () => { model.off("change:search", write); removeEventListener("popstate", read); };
  },
};
"""


class AddressBar(AnyWidgetComponent):
    """The query of the page's URL as a parameter, without a reload and with the reader's back button."""

    _esm = ADDRESS_JS
    search = param.String("")


def names() -> tuple[str, ...]:
    """What can be opened."""
    return explainers.names()


@cache
def widget_class(name: str) -> type[AnyWidgetComponent]:
    """The Panel class of an explainer, made from its folder; each has a name of its own."""
    made = explainers.reference(name)
    body: dict[str, Any] = {key: field(value) for key, value in made.STATE.items()}
    body["data"] = param.Dict(explainers.data(name))
    body["_esm"] = explainers.module(name)
    body["_stylesheets"] = [explainers.tokens(":host"), explainers.css(name)]
    body["__doc__"] = explainers.load(name).title
    return type(explainers.class_name(name), (AnyWidgetComponent,), body)


def field(value: Any) -> param.Parameter:
    """The parameter that holds a state value of this kind."""
    kinds = {bool: param.Boolean, int: param.Integer, float: param.Number, str: param.String}
    kinds |= {list: param.List, dict: param.Dict}
    return kinds.get(type(value), param.Parameter)(value)


def widget(name: str, **state: Any) -> AnyWidgetComponent:
    """One live widget: widget("bits", typed="0.1")."""
    return widget_class(name)(sizing_mode="stretch_width", **state)


def panel(name: str, query: str = "", base: str = "") -> pn.viewable.Viewable:
    """The widget with its question above it, started from a query string and kept in step with the page's URL.

    `base` is what the workbench needs in front of the state, e.g. "learn=bits".
    """
    one = explainers.load(name)
    made = explainers.reference(name)
    base = base or f"learn={name}"
    state, says = permalink.read_address(
        made.STATE, _without(query, base), explainers.checker(name), explainers.settler(name)
    )
    shown = widget(name, **state)
    said = words(message(says), visible=bool(says))
    address = AddressBar(width=0, height=0, margin=0)
    _link(shown, address, said, name, base)
    head = words(
        f'<header class="learn-head"><p class="learn-crumb">Learn · {explainers.GROUPS[one.group][0]}</p>'
        f'<h1>{escape(one.title)}</h1><p class="learn-asks">{escape(one.question)}</p>'
        f'<p class="learn-lead">{escape(one.summary)}</p></header>'
    )
    return pn.Column(head, said, shown, address, sizing_mode="stretch_width")


def words(html: str, **options: Any) -> pn.pane.HTML:
    """A few words of the page, in the page's own style; a Panel pane lives in a shadow root and inherits little."""
    own = ":host { margin: 0; color: var(--ink); } :host * { font-family: var(--sans); }"
    sheets = [explainers.tokens(":host"), own, style_sheet("learn")]
    return pn.pane.HTML(html, stylesheets=sheets, sizing_mode="stretch_width", margin=0, **options)


def message(says: list[str]) -> str:
    """What a link got wrong, as an alert."""
    return f'<p class="learn-message" role="alert">{escape(" ".join(says))}</p>'


def _link(shown: AnyWidgetComponent, address: AddressBar, said: Any, name: str, base: str) -> None:
    """Widget -> URL and URL -> widget."""
    made = explainers.reference(name)
    keys = list(made.STATE)

    def write(*_: Any) -> None:
        rest = permalink.write(made.STATE, {key: getattr(shown, key) for key in keys})
        address.search = f"?{base}" + rest.replace("?", "&", 1)
        said.visible = False

    def read(event: Any) -> None:
        state, says = permalink.read_address(
            made.STATE, _without(event.new, base), explainers.checker(name), explainers.settler(name)
        )
        with param.parameterized.batch_call_watchers(shown):
            shown.param.update(**{key: value for key, value in state.items() if value != getattr(shown, key)})
        said.param.update(object=message(says), visible=bool(says))

    shown.param.watch(write, keys)
    address.param.watch(read, "search")


def _without(query: str, base: str) -> str:
    """The query without the workbench's own part."""
    own = {pair.split("=")[0] for pair in base.split("&")}
    return "&".join(pair for pair in query.lstrip("?").split("&") if pair and pair.split("=")[0] not in own)
