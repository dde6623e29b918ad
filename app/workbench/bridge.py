"""The bridge between the workbench's page (app/workbench/bench.js) and its session (session.py).

`search` and `pasted` come in, everything else goes out.
"""

from __future__ import annotations

import param
from panel.custom import AnyWidgetComponent

from cutaway.app.workbench.url import CONTEXTS
from cutaway.explainers import bundles


class Bench(AnyWidgetComponent):
    """What the page and the session tell each other."""

    _esm = bundles.text("widgets/bench.js")

    search = param.String(doc="the query of the page's address; pasted=<turn> besides where it shows a pasted config")
    pasted = param.Dict(default={}, doc="{text, turn} of a pasted or dropped config.json; it comes before its search")
    again = param.Integer(default=0, doc="the reader pressed Draw, maybe on the same address")
    ping = param.Integer(default=0, doc="counts what the reader did")
    pong = param.Integer(default=0, doc="as far as the session has heard it")
    dark = param.Boolean(default=False)
    html = param.Dict(default={}, doc="element id -> markup")
    status = param.String()
    error = param.String()
    busy = param.Boolean(default=False)
    title = param.String()
    instead = param.Dict(default={}, doc="{model, pasted} of what stands here and is edited, where a text is no config")
    beside = param.List(default=["", ""])
    context = param.Integer(default=CONTEXTS[2][0])
