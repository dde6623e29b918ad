"""The planner's address and published runs in the browser: the same as gallery/planning's."""

from __future__ import annotations

import random
import re
from dataclasses import asdict, replace

from cutaway.app.plan_page import page as page_of_plan
from cutaway.gallery.planning import measured
from cutaway.gallery.planning.address import address, parse
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.layout import Layout
from tests.site.plan_modules import loaded
from tests.site.test_plan_twin import some


def test_an_address_means_the_same_in_both_languages(page):
    """What Python writes as an address the page reads as the same layout, and writes again letter by letter."""
    dice, data = random.Random(12), {**page_of_plan.constants()}
    loaded(page, "layout", "address")
    made = (layout for layout in (some(dice) for _ in range(300)) if layout.per_node <= layout.device.domain)
    texts = [address(one) for one in made if min(one.tp, one.pp, one.cp, one.ep, one.gpus) > 0]
    texts = [text for text in texts if address(parse(text)[0]) == text and "spiral" not in text and "much" not in text]
    assert len(texts) > 100
    again = page.evaluate(
        """([texts, data]) => texts.map((text) => {
          const { chosen, wrong } = address.read_address(text, data);
          return [address.of(layout.of(chosen, data.devices)), wrong];
        })""",
        [texts, data],
    )
    assert [pair for pair in zip(texts, again, strict=True) if pair[1] != [pair[0], []]] == []
    bare = [re.sub(r"&(batch|etp)=\d+", "", text) for text in texts]
    ours = [[made.batch, made.etp] for made in (parse(text)[0] for text in bare)]
    script = """([texts, data]) => texts.map((text) => layout.of(address.read_address(text, data).chosen, data.devices))
      .map((one) => [one.batch, one.etp])"""
    assert page.evaluate(script, [bare, data]) == ours


def test_published_runs_are_the_same_in_the_browser(page):
    """Every published run is found for its own layout, and for no other micro-batch."""
    rows = [(row["model"], page_of_plan.typed(row)) for row in measured.runs()]
    loaded(page, "layout", "measured")
    wrong = []
    for repo, row in rows:
        sizes = {name: int(row[name]) for name in measured.SAME if name != "gpus"}
        one = Layout(
            DEVICES[row["device"]], 1, int(row["gpus"]), job="train", compute_dtype=row["compute_dtype"], **sizes
        )
        for layout in (one, replace(one, compute_dtype=""), replace(one, micro_batch=64)):
            ours = [[run.release, run.tokens] for run in measured.matching_runs(repo, layout)]
            own = [other for name, other in rows if name == repo]
            fields = {**asdict(layout), "device": layout.device._asdict()}
            script = (
                "([runs, one]) => measured.matching_runs(runs, layout.make(one)).map((run) => "
                "[run.release, run.tokens])"
            )
            wrong += [row] * (page.evaluate(script, [own, fields]) != ours)
    assert wrong == []
    assert len(rows) > 40
