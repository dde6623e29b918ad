"""What can go wrong with the Hub -> one sentence each, whichever exception the client raised for it."""

from __future__ import annotations

from typing import Any

from cutaway.gallery.hub.json_text import parse
from cutaway.gallery.hub.repo_address import Address, HubError
from cutaway.gallery.spec import ConfigError

# One sentence for each way it can go wrong. {repo}, {file}, {revision} and {detail} are filled in.
SENTENCES = {
    "offline": "The Hub could not be reached ({detail}): check the connection, or give a config.json file.",
    "timeout": "The Hub did not answer for {repo} within {detail} seconds: try again later.",
    "gated": "{repo} is gated: accept its terms on the Hub and set HF_TOKEN to a token that may read it.",
    "private": "The Hub shows no {repo} to this reader ({detail}): it does not exist, or it is private or gated; check "
    "the spelling, or set HF_TOKEN.",
    "missing": "There is no {repo} on the Hub (404): check the spelling.",
    "disabled": "{repo} has been disabled on the Hub.",
    "revision": "{repo} has no revision {revision!r}.",
    "no-config": "{repo} has no {file}: it is not a transformers model repo, or its weights come in another format.",
    "rate-limited": "The Hub refuses further requests for now (429{detail}): wait, or set HF_TOKEN for a higher limit.",
    "server": "The Hub failed on its own side (status {detail}): try again later.",
    "too-large": "{file} of {repo} has {detail} bytes; more than 5,000,000 are not read.",
    "truncated": "{file} of {repo} broke off while it was downloaded ({detail}): try again.",
    "not-the-hub": "What answered for {repo} is not a Hub ({detail}): a proxy or a login page may stand in between.",
    "cache": "The Hub's cache on this machine cannot be used ({detail}): make room, or name another folder in HF_HOME.",
    "body": "{file} of {repo} cannot be used: {detail}",
    "no-client": "huggingface_hub is not installed, so the Hub cannot be asked: pip install huggingface-hub.",
}
# For a visitor of a server that does not use its owner's token for others.
VISITORS = {
    "gated": "{repo} is gated, and this server asks the Hub without a token: paste its config.json instead, or draw it "
    "on your own machine.",
    "private": "The Hub shows {repo} to nobody without a token: it does not exist, or it is private or gated; check "
    "the spelling, or paste its config.json.",
    "rate-limited": "The Hub refuses further requests of this server for now: wait, or paste the config.json.",
}


def for_visitor(problem: HubError, where: Address) -> HubError:
    """The same problem in words for somebody who cannot set a token here."""
    words = VISITORS.get(problem.kind)
    return HubError(problem.kind, words.format(repo=where.repo)) if words else problem


def failure(kind: str, where: Address, file: str = "config.json", detail: object = "") -> HubError:
    filled = SENTENCES[kind].format(repo=where.repo, file=file, revision=where.revision, detail=detail)
    return HubError(kind, filled)


def parse_object(data: bytes, where: Address, file: str) -> dict:
    """The JSON object in a file's bytes, or the sentence that says why there is none."""
    try:
        return parse(data, file)
    except ConfigError as problem:
        raise failure("body", where, file, problem) from problem


# ---------------------------------------------------------------- exceptions of the client -> our words

_NAMED = (  # first match wins: (class names anywhere in the exception's ancestry, kind)
    (("OfflineModeIsEnabled",), "offline"),
    (("GatedRepoError",), "gated"),
    (("DisabledRepoError",), "disabled"),
    (("RevisionNotFoundError",), "revision"),
    (("LocalEntryNotFoundError",), "offline"),
    (("EntryNotFoundError",), "no-config"),
    (("RepositoryNotFoundError",), "missing"),
    (("FileMetadataError",), "not-the-hub"),
    (("TimeoutException", "Timeout", "TimeoutError"), "timeout"),
    (("RemoteProtocolError", "ChunkedEncodingError", "IncompleteRead"), "truncated"),
    (("ConnectError", "ConnectionError", "NetworkError", "TransportError", "SSLError"), "offline"),
)


def _by_status(status: int, response: Any) -> tuple[str, str]:
    if status in (401, 403):
        return "private", str(status)
    if status == 429:
        after = response.headers.get("Retry-After")
        return "rate-limited", f", again in {after} s" if after and str(after).isdigit() else ""
    return ("missing", "") if status == 404 else ("server", str(status))


def explain(problem: Any, where: Address, file: str, seconds: float) -> HubError:
    """The sentence for an exception of huggingface_hub or of the HTTP library below it, old or new."""
    cause = problem.__cause__
    if cause is not None and type(problem).__name__ == "LocalEntryNotFoundError":
        return explain(cause, where, file, seconds)
    status = getattr(getattr(problem, "response", None), "status_code", None)
    names = {cls.__name__ for cls in type(problem).__mro__}
    kind = next((kind for wanted, kind in _NAMED if names & set(wanted)), None)
    if kind == "missing" and status in (401, 403):
        kind = "private"
    if kind is None and status is not None:
        kind, detail = _by_status(status, problem.response)
        return failure(kind, where, file, detail)
    if "RemoteProtocolError" in names and "disconnected" not in str(problem) and "peer closed" not in str(problem):
        return failure("not-the-hub", where, file, "its answer is no proper HTTP")
    if kind is None and isinstance(problem, OSError) and problem.filename is not None:
        return failure("cache", where, file, f"{problem.strerror}: {problem.filename}")
    if kind is None and isinstance(problem, OSError):
        kind = "truncated" if "Consistency check" in str(problem) else "offline"
    details = {"timeout": f"{seconds:.0f}", "private": status, "truncated": "not all of it arrived"}
    plain = "HF_HUB_OFFLINE is set" if "OfflineModeIsEnabled" in names else type(problem).__name__
    return failure(kind or "offline", where, file, details.get(kind or "", plain))
