"""Which names the live server answers to, whom it lends its token, and what every answer says of itself."""

from __future__ import annotations

import gzip
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from tornado.httpclient import HTTPClientError
from tornado.httputil import HTTPHeaders

from cutaway.app.serve import hosts
from tests.app.conftest import get, served
from tests.app.proxy import proxy
from tests.app.reader import Reader, fetch, finished, socket, token_of
from tests.gallery.fake_hub import fake_hub

PATHS = ("/", "/models/", "/app", "/app?learn=bits", "/app/metadata", "/embed/bits/", "/assets/css/tokens.css")
OTHERS = ("/static/js/bokeh.min.js", "/favicon.ico", "/nobody/", "/models")
EVIL = "evil.example"


# ---------------------------------------------------------------- names


NAMES = {
    "localhost": "localhost",
    "LocalHost:5006": "localhost",
    "127.0.0.1:80": "127.0.0.1",
    "[::1]:5006": "[::1]",
    "cutaway.example": "cutaway.example",
    "": "",
    "evil@127.0.0.1": "",
    "127.0.0.1,evil.example": "",
    "127.0.0.1:x": "",
    "::1": "",
    "[::1": "",
    "a b": "",
    "localhost/": "",
}


@pytest.mark.parametrize("host", NAMES)
def test_a_host_header_is_a_name_and_maybe_a_port(host):
    """Anything else names nobody."""
    assert hosts.name(host) == NAMES[host]


@pytest.mark.parametrize(
    ("host", "origins", "answers"),
    [
        ("localhost:1", [], True),
        ("127.0.0.1", [], True),
        ("[::1]:5006", [], True),
        ("127.0.0.1.evil.example", ["localhost:5006"], False),
        ("localhost.evil.example", [], False),
        ("0.0.0.0:5006", [], False),
        ("cutaway.example", ["cutaway.example:80"], True),
        ("cutaway.example:8443", ["cutaway.example:80"], True),
        ("Cutaway.Example", ["cutaway.EXAMPLE:80"], True),
        ("cutaway.example", ["cutaway.example:8443"], True),
        ("www.cutaway.example", ["cutaway.example:80"], False),
        ("www.cutaway.example", ["*.cutaway.example:80"], True),
        ("anything.at.all", ["*"], True),
        ("", ["*"], False),
        ("a b", ["*"], False),
    ],
)
def test_a_server_answers_to_loopback_and_to_what_it_was_told(host, origins, answers):
    """Names are compared whole, in any case, on any port."""
    assert hosts.answers_to(host, origins) == answers


@pytest.mark.parametrize(
    ("address", "headers", "origins", "local"),
    [
        ("127.0.0.1", {}, ["localhost:5006"], True),
        ("127.8.9.1", {}, [], True),
        ("::1", {}, [], True),
        ("::ffff:127.0.0.1", {}, [], True),
        ("192.168.1.2", {}, [], False),
        ("::ffff:192.168.1.2", {}, [], False),
        ("0.0.0.0", {}, [], False),
        ("", {}, [], False),
        ("127.0.0.1", {"x-forwarded-for": "127.0.0.1"}, [], False),
        ("127.0.0.1", {"x-forwarded-port": "443"}, [], False),
        ("127.0.0.1", {"forwarded": "for=127.0.0.1"}, [], False),
        ("127.0.0.1", {"via": "1.1 somebody"}, [], False),
        ("127.0.0.1", {"x-real-ip": "127.0.0.1"}, [], False),
        ("127.0.0.1", {}, ["localhost:5006", "cutaway.example:80"], False),
        ("127.0.0.1", {}, ["*"], False),
    ],
)
def test_local_is_who_sits_at_this_machine(address, headers, origins, local):
    """A proxy's header, another address or an invited name makes a visitor of everybody."""
    request = SimpleNamespace(remote_ip=address, headers=HTTPHeaders(headers))
    assert hosts.is_local(request, origins) == local


CLIENTS = {
    ("8.8.8.8", ""): "8.8.8.8",
    ("8.8.8.8", "198.51.100.7"): "8.8.8.8",
    ("127.0.0.1", "198.51.100.7"): "198.51.100.7",
    ("10.0.0.2", "192.0.2.1, 198.51.100.7"): "198.51.100.7",
    ("::ffff:127.0.0.1", "198.51.100.7"): "198.51.100.7",
    ("127.0.0.1", "nonsense"): "127.0.0.1",
    ("127.0.0.1", ""): "127.0.0.1",
    ("2a02:8109:1:2:3:4:5:6", ""): "2a02:8109:1:2::/64",
    ("127.0.0.1", "2a02:8109:1:2:9::"): "2a02:8109:1:2::/64",
    ("", ""): "",
}


@pytest.mark.parametrize(("address", "forwarded"), CLIENTS)
def test_a_client_is_an_address_that_it_cannot_choose(address, forwarded):
    """Its own, or the last that a proxy nearby names; all of a network that one IPv6 visitor is given."""
    headers = HTTPHeaders({"X-Forwarded-For": forwarded} if forwarded else {})
    request = SimpleNamespace(remote_ip=address, headers=headers)
    assert hosts.client(request) == CLIENTS[address, forwarded]


# ---------------------------------------------------------------- every path


@pytest.mark.parametrize("path", (*PATHS, *OTHERS, "/app/ws"))
def test_a_foreign_name_gets_nothing_but_a_sentence(live_url, path):
    """A page whose name was pointed at this machine (DNS rebinding) reads nothing, and the owner reads what to do."""
    status, headers, body = get(live_url + path, Host=f"{EVIL}:81")
    assert (status, headers.get_content_type()) == (403, "text/plain")
    assert f"--allow-websocket-origin {EVIL}:81" in body.decode()


def test_what_is_no_name_is_not_repeated(live_url):
    """A Host header of markup is refused without being quoted."""
    status, _, body = get(live_url + "/", Host="evil.example@127.0.0.1")
    assert status in (400, 403)  # newer Tornados refuse it before we do
    assert b"evil" not in body


@pytest.mark.parametrize("path", (*PATHS, *OTHERS))
def test_every_answer_carries_the_same_headers(live_url, path):
    """Types are not guessed, other sites learn and frame nothing but embeds, and nobody tells which server this is."""
    _, headers, _ = get(live_url + path)
    framed = "frame-ancestors *" if path.startswith("/embed/") else "frame-ancestors 'self'"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Content-Security-Policy"].endswith(framed)
    assert headers["Server"] is None


def test_the_workbench_is_packed_and_has_a_head(live_url):
    """gzip where the reader takes it; HEAD says the same as GET and opens no session."""
    _, plain, body = get(live_url + "/app")
    _, headers, packed = get(live_url + "/app", **{"Accept-Encoding": "gzip"})
    assert (headers["Content-Encoding"], plain["Content-Encoding"]) == ("gzip", None)
    assert len(gzip.decompress(packed)) == pytest.approx(len(body), abs=100)
    head = finished(_head(live_url + "/app"))
    assert (head.code, head.body) == (200, b"")
    for name in ("Content-Type", "Content-Security-Policy", "Cache-Control", "Vary"):
        assert head.headers[name] == plain[name], name


async def _head(url: str):
    from tornado.httpclient import AsyncHTTPClient, HTTPRequest

    return await AsyncHTTPClient().fetch(HTTPRequest(url, method="HEAD"))


@pytest.mark.parametrize("file", ("bokeh.min.js", "bokeh-gl.min.js"))
def test_a_file_in_pieces_is_packed_whole(live_url, file):
    """Bokeh's scripts come packed, the first time and the second, and are the same bytes as unpacked."""
    plain = get(f"{live_url}/static/js/{file}")[2]
    for _ in range(2):
        _, headers, packed = get(f"{live_url}/static/js/{file}", **{"Accept-Encoding": "gzip"})
        assert headers["Content-Encoding"] == "gzip"
        assert (len(packed) < len(plain) / 2, gzip.decompress(packed) == plain) == (True, True)


def test_a_part_of_a_file_comes_as_it_is(live_url):
    """Half a file is not packed: its bytes are those of the range."""
    asked = {"Accept-Encoding": "gzip", "Range": "bytes=0-4999"}
    status, headers, body = get(live_url + "/static/js/bokeh.min.js", **asked)
    assert (status, headers["Content-Encoding"], len(body)) == (206, None, 5000)


def test_no_page_of_another_site_is_handed_a_session(live_url):
    """Bokeh's autoload.js, which makes one for whoever includes it, is not there."""
    assert get(live_url + "/app/autoload.js?bokeh-autoload-element=x")[0] == 404


# ---------------------------------------------------------------- the socket


async def _origin(url: str, origin: str, **headers: str) -> int:
    page = await fetch(url + "/app", **headers)
    try:
        line = await socket(url, token_of(page.body), Origin=origin, **headers)
    except HTTPClientError as refused:
        return refused.code
    line.close()
    return 101


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://{here}", 101),
        ("http://localhost:{port}", 101),
        ("http://evil.example", 403),
        ("http://evil.example:{port}", 403),
        ("http://127.0.0.1:1", 403),
        ("http://evil@{here}", 403),
        ("null", 403),
    ],
)
def test_the_socket_is_for_our_own_pages(live_url, origin, status):
    """A page of any other origin, of another port of this machine too, is refused."""
    here = urlsplit(live_url).netloc
    asked = origin.format(here=here, port=here.partition(":")[2])
    assert finished(_origin(live_url, asked)) == status


# ---------------------------------------------------------------- hosted


@pytest.fixture(scope="module")
def hosted(tmp_path_factory):
    """A server for cutaway.example behind two proxies, with its owner's token at hand: (proxies, the fake Hub)."""
    log = tmp_path_factory.mktemp("hosted") / "log"
    options = ("--allow-websocket-origin", "cutaway.example")
    with fake_hub() as hub, served(*options, log=log, hub=hub.url, HF_TOKEN="hf_of_the_owner") as (url, _):
        port = urlsplit(url).port
        with proxy(port) as keeps, proxy(port, keep_host=False) as rewrites:
            yield (keeps, rewrites), hub
    assert "Traceback" not in log.read_text(), log.read_text()


async def _drawn(url: str, model: str, **headers: str) -> str:
    async with Reader(url, model, **headers) as reader:
        return await reader.until("status", lambda words: words and "is drawn" in words and model in words)


@pytest.mark.whole
@pytest.mark.parametrize("which", (0, 1), ids=("keeps Host", "rewrites Host"))
def test_a_hosted_workbench_works_through_a_proxy_and_lends_no_token(hosted, which):
    """A visitor's page and socket pass a proxy that adds X-Forwarded-*; the Hub is asked without the owner's token."""
    proxies, hub = hosted
    public = {"Host": "cutaway.example", "Origin": "https://cutaway.example"}
    model = f"visitor{which}/model"
    assert model in finished(_drawn(proxies[which], model, **public))
    assert hub.seen[f"HEAD visitor{which} config.json"] > 0
    assert hub.tokens == {None}


@pytest.mark.whole
@pytest.mark.parametrize("lent", (False, True))
def test_the_token_is_for_readers_at_this_machine_unless_it_is_lent(tmp_path, lent):
    """A local reader has it; one who comes through a proxy has it only with CUTAWAY_USE_TOKEN=1."""
    own = {"HF_TOKEN": "hf_of_the_owner", **({"CUTAWAY_USE_TOKEN": "1"} if lent else {})}
    with fake_hub() as hub, served(log=tmp_path / "log", hub=hub.url, **own) as (url, _):
        finished(_drawn(url, "secret/local"))
        assert hub.tokens == {"Bearer hf_of_the_owner"}
        hub.tokens.clear()
        with proxy(urlsplit(url).port) as through:
            if lent:
                finished(_drawn(through, "secret/far"))
            else:
                assert "secret/far is gated" in finished(_refused(through, "secret/far"))
        assert hub.tokens == {"Bearer hf_of_the_owner" if lent else None}


async def _refused(url: str, model: str) -> str:
    async with Reader(url, model) as reader:
        return await reader.until("error", bool)


@pytest.mark.whole
def test_a_hosted_server_refuses_other_names_and_origins(hosted):
    """What was not invited stays outside, through the proxy as well."""
    (keeps, _), _ = hosted
    assert get(keeps + "/", Host=EVIL)[0] == 403
    public = {"Host": "cutaway.example"}
    assert finished(_origin(keeps, "https://evil.example", **public)) == 403
    assert finished(_origin(keeps, "https://cutaway.example", **public)) == 101


@pytest.mark.parametrize(
    ("named", "may"), [("", "'self'"), ("https://huggingface.co", "'self' https://huggingface.co")]
)
def test_who_may_frame_a_page_is_this_site_and_whom_the_owner_names(monkeypatch, named, may):
    """A Space is shown in a frame of its host's page, so CUTAWAY_FRAMED_BY names that."""
    monkeypatch.setenv("CUTAWAY_FRAMED_BY", named)
    hosts.framed_by.cache_clear()
    headers = HTTPHeaders({"Content-Security-Policy": "script-src 'self'"})
    hosts.Headers(None).transform_first_chunk(200, headers, b"", True)
    hosts.framed_by.cache_clear()
    assert headers["Content-Security-Policy"] == f"script-src 'self'; frame-ancestors {may}"


@pytest.mark.parametrize("named", ["*", "https://a.b; script-src *", "huggingface.co", "https://a.b/path"])
def test_what_is_no_origin_may_frame_nothing(monkeypatch, named):
    """A word that is no origin would change the policy: the server does not start, and says which word it was."""
    monkeypatch.setenv("CUTAWAY_FRAMED_BY", named)
    hosts.framed_by.cache_clear()
    with pytest.raises(ValueError, match=r"is no origin such as https://huggingface\.co"):
        hosts.framed_by()
