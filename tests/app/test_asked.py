"""POST /compare/ask: a pasted config's file and any pair's costs, for this server's own pages, with a sentence else."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect

from cutaway.app.compare import model_file
from cutaway.app.compare import request as compare_request
from cutaway.app.model.view import SpecView
from cutaway.app.render import job as render_job
from cutaway.app.site import Site
from cutaway.gallery import catalog
from cutaway.gallery.comparing import differences
from cutaway.gallery.spec import ConfigError
from tests import accessible

LLAMA, MAMBA = "meta-llama/Llama-3.1-8B", "mistralai/Mamba-Codestral-7B-v0.1"
QWEN = json.dumps(catalog.load("Qwen/Qwen3-32B"))


def told(*models: dict) -> dict:
    """What a worker answers."""
    found = render_job.answer(compare_request.Question(json.dumps({"models": models}).encode()))
    assert isinstance(found, str), found
    return json.loads(found)


def test_a_pasted_config_gives_the_catalogued_models_file():
    """All but its names and what the catalogue alone knows."""
    mine = told({"config": QWEN})["files"][0]
    ours = model_file.Compared.listed(Site().view("Qwen/Qwen3-32B")).file()
    known = ("slug", "title", "company", "date", "near", "pairs")
    assert {key: value for key, value in mine.items() if key not in known} == json.loads(
        json.dumps({key: value for key, value in ours.items() if key not in known})
    )
    assert mine["slug"].startswith("local:")
    assert mine["title"] == "Your Qwen3ForCausalLM"
    assert mine["pairs"] == {}


def test_a_name_is_cut_and_has_no_marks_that_turn_words_round():
    """Whatever stands under architectures."""
    strange = json.dumps({**json.loads(QWEN), "architectures": ["\u202eevil\n" + "A" * 100]})
    assert told({"config": strange})["files"][0]["title"] == "Your evil" + "A" * 49


def test_any_pair_is_counted():
    """Catalogued or pasted, in the order asked for; rows add up to the totals."""
    for models, a, b in (
        (({"slug": LLAMA}, {"slug": MAMBA}), LLAMA, MAMBA),
        (({"slug": MAMBA}, {"config": QWEN}), MAMBA, "Qwen/Qwen3-32B"),
    ):
        pair = told(*models)["pair"]
        one, two = catalog.spec(a), catalog.spec(b)
        found = differences.compare_specs(one, two)
        assert [row[:10] for row in pair["rows"]] == [
            [getattr(row, name) for name in model_file.COLUMNS[:10]] for row in found.rows
        ]
        total = SpecView(two, "").parameters.total - SpecView(one, "").parameters.total
        assert sum(row[5] for row in pair["rows"]) == total


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "Ask as"), (b"[]", "Ask as"), (b"{}", "Ask as"), (b'{"models": 3}', "Ask as"), (b"\xff", "Ask as"),
        (b'{"models": []}', "Ask as"), (b'{"models": [{}, {}, {}]}', "Ask as"), (b'{"models": [{}]}', "Ask as"),
        (b'{"models": [3]}', "Ask as"), (b"[" * 100_000, "Ask as"),
        (json.dumps({"models": [{"slug": LLAMA}] * 3}).encode(), "with one or two models"),
        (b'{"models": [{"slug": "x", "config": "{}"}]}', "Ask as"),
        (b'{"models": [{"slug": "no/such"}]}', "No drawn model here is called no/such"),
        (json.dumps({"models": [{"config": "x" * (compare_request.MOST_PASTED + 1)}]}).encode(), "more than 5,000,000"),
    ],
)  # fmt: skip
def test_what_is_no_question_is_a_sentence(body, words):
    """Whatever is sent."""
    with pytest.raises(ConfigError, match=words):
        compare_request.asked(body)


def test_what_is_no_config_is_a_sentence():
    """As the workbench says it."""
    texts = (("<html>", "an HTML or XML page"), ("[1]", "holds a list"), ("{}", "no num_hidden_layers"))
    for text, words in texts:
        found = render_job.answer(compare_request.Question(json.dumps({"models": [{"config": text}]}).encode()))
        assert isinstance(found, render_job.Refusal)
        assert words in found.sentence, found


# ---------------------------------------------------------------- the server


def post(url: str, body: bytes, **headers: str) -> tuple[int, dict]:
    """(status, answer) of a question."""
    sent = {"Content-Type": "application/json", **{key.replace("_", "-"): value for key, value in headers.items()}}
    try:
        with urllib.request.urlopen(urllib.request.Request(f"{url}/compare/ask", body, sent), timeout=60) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def test_only_this_servers_own_pages_may_ask(live_url):
    """Another origin, a form, a foreign name, too many bytes: refused before anything is read."""
    body = json.dumps({"models": [{"slug": LLAMA}, {"slug": "Qwen/Qwen3-32B"}]}).encode()
    status, found = post(live_url, body, Origin=live_url)
    assert (status, found["files"]) == (200, [None, None])
    assert found["pair"]["rows"]
    for headers, refused in (
        ({"Origin": "http://evil.example"}, 403), ({"Sec_Fetch_Site": "cross-site"}, 403), ({"Origin": "null"}, 403),
        ({"Content_Type": "text/plain"}, 403), ({"Content_Type": "application/x-www-form-urlencoded"}, 403),
    ):  # fmt: skip
        status, found = post(live_url, body, **headers)
        assert (status, "own" in found["sentence"] or "very server" in found["sentence"]) == (refused, True), headers
    assert post(live_url, b'{"models": [{"slug": "no/such"}]}') == (
        422, {"sentence": "No drawn model here is called no/such."})  # fmt: skip


def test_a_pasted_config_is_compared_on_the_live_page(page, live_url):
    """Pasted, drawn, counted, kept for a reload in this tab; a config that is none is a sentence in the dialog."""
    page.goto(f"{live_url}/compare/?a={LLAMA}&b={MAMBA}")
    expect(page.locator(".cmp-note").first).not_to_contain_text("counting", timeout=60_000)
    expect(page.locator("tr.sum")).to_be_visible()
    assert page.get_by_text("not counted").count() == 0
    page.get_by_role("button", name="Paste a config.json").click()
    page.fill("#paste-text", "[1]")
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.locator(".cmp-paste-says")).to_contain_text("holds a list", timeout=60_000)
    assert accessible.look(page).wrong == []
    page.fill("#paste-text", QWEN)
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.locator("#in-b")).to_have_value("Your Qwen3ForCausalLM", timeout=60_000)
    expect(page.locator(".cmp-verdict")).to_contain_text("Your Qwen3ForCausalLM is Llama 3.1 8B with", timeout=60_000)
    assert "b=local:" in page.url
    page.reload()
    expect(page.locator("#in-b")).to_have_value("Your Qwen3ForCausalLM", timeout=60_000)
    page.goto(f"{live_url}/compare/?a={LLAMA}&b=local:0123456789ab")
    expect(page.locator(".cmp-alert")).to_contain_text("paste it again")
