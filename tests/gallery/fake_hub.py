"""A small HTTP server that plays the Hub: what it answers follows from the owner's name in the repo id."""

from __future__ import annotations

import contextlib
import json
import select
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "0123456789abcdef0123456789abcdef01234567"
CONFIG = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 1000,
    "tie_word_embeddings": False,
}
PARAMS = {"dim": 64, "n_layers": 2, "n_heads": 4, "hidden_dim": 128, "vocab_size": 1000}
SIDECAR = {"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "NVFP4"}}
OTHER = {  # repos without a config.json, by what they have instead
    ("lora", "adapter_config.json"): {"peft_type": "LORA", "base_model_name_or_path": "a/b", "lora_alpha": 16},
    ("pictures", "model_index.json"): {"_class_name": "FluxPipeline", "_diffusers_version": "0.30.0"},
}

# owner -> (status, X-Error-Code) for every file
REFUSALS = {
    "gated401": (401, "GatedRepo"),
    "gated403": (403, "GatedRepo"),
    "private": (401, "RepoNotFound"),
    "forbidden": (403, None),
    "gone": (404, "RepoNotFound"),
    "norevision": (404, "RevisionNotFound"),
    "noconfig": (404, "EntryNotFound"),
    "busy": (429, None),
    "down": (503, None),
}
ETAGS = {  # owner -> the ETag of its files, where it is not a plain one
    "weaketag": 'W/"abc"',
    "bareetag": "abc",
    "fulletag": '"' + "a" * 128 + '"',
    "noetag": None,
    "emptyetag": '""',
    "climbingetag": '"../../../climbed"',
    "longetag": '"' + "a" * 129 + '"',
    "dotetag": '"."',
}
BODIES = {
    "html": b"<!doctype html><title>Sign in</title>",
    "list": b"[1, 2]",
    "string": b'"config"',
    "half": b'{"hidden_size": 64, "num_hid',
    "empty": b"",
    "binary": b"\x80\x02weights",
    "deep": b"[" * 100_000,
    "plain": json.dumps(CONFIG).encode(),
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status: int, body: bytes = b"", claimed: int | None = None, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            if value is not None:
                self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body) if claimed is None else claimed))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)
        if claimed is not None and self.command == "GET":
            self.wfile.flush()
            self.close_connection = True

    def chunked(self, body: bytes, **headers: str) -> None:
        """A whole answer that does not say how long it is."""
        self.send_response(200)
        for name, value in {**headers, "Transfer_Encoding": "chunked"}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        for at in range(0, len(body) if self.command == "GET" else 0, 500_000):
            piece = body[at : at + 500_000]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        if self.command == "GET":
            self.wfile.write(b"0\r\n\r\n")

    def wait(self) -> None:
        """Say nothing for 20 seconds; a caller who hangs up meanwhile is counted."""
        self.server.waiting += 1
        for _ in range(400):
            if self.server.stop.wait(0.05):
                return
            if select.select([self.connection], [], [], 0)[0]:
                self.server.seen["hung up"] += 1
                self.close_connection = True
                break
        else:
            self.answer(504)
        self.server.waiting -= 1

    def do_GET(self):
        owner, _, rest = self.path.lstrip("/").partition("/")
        file = rest.split("/", 3)[-1]
        self.server.seen[f"{self.command} {owner} {file}"] += 1
        token = self.headers.get("authorization")
        if "/resolve/" in self.path:  # the client asks other things too, of its own accord
            self.server.tokens.add(token)
        known = {"X_Repo_Commit": COMMIT, "ETag": ETAGS.get(owner, f'"{owner}-{file}"')}
        if owner in REFUSALS or (owner == "secret" and not token):
            status, code = REFUSALS.get(owner, (401, "GatedRepo"))
            more = {"X_Error_Code": code} if code else {}
            return self.answer(status, b"", Retry_After="17", **known, **more)
        if owner.startswith("slow"):
            return self.wait()
        if owner == "proxy":
            return self.answer(200, BODIES["html"])
        if file == "hf_quant_config.json" and self.server.beside != 200:
            return self.answer(self.server.beside, b"", Retry_After="17", **known)
        if file == "hf_quant_config.json" and owner == "modelopt":
            return self.answer(200, json.dumps(SIDECAR).encode(), **known)
        if file == "params.json" and owner == "mistral":
            return self.answer(200, json.dumps(PARAMS).encode(), **known)
        if (owner, file) in OTHER:
            return self.answer(200, json.dumps(OTHER[owner, file]).encode(), **known)
        if file != "config.json" or owner in ("mistral", *(name for name, _ in OTHER)):
            return self.answer(404, X_Error_Code="EntryNotFound", **known)
        if owner in ("chunked", "chunkedbig"):
            return self.chunked(BODIES["plain"] + b" " * (6_000_000 if owner == "chunkedbig" else 0), **known)
        if owner == "nolength":
            return self.answer(200, BODIES["plain"], claimed="many", **known)
        if owner == "climbingcommit":
            return self.answer(200, BODIES["plain"], **{**known, "X_Repo_Commit": "../../climbed"})
        if owner == "big":
            return self.answer(200, b" " * 100, claimed=6_000_000, **known)
        if owner == "cut":
            return self.answer(200, BODIES["plain"][:20], claimed=len(BODIES["plain"]), **known)
        return self.answer(200, BODIES.get(owner, BODIES["plain"]), **known)

    do_HEAD = do_GET


@contextlib.contextmanager
def fake_hub():
    """The server on a free port of loopback; `.url`, `.seen` (a Counter of requests), `.tokens` and `.waiting`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.seen, server.tokens, server.stop = Counter(), set(), threading.Event()
    server.waiting, server.beside = 0, 200  # `beside`: what ModelOpt's second file alone is answered with
    server.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield server
    finally:
        server.stop.set()
        server.shutdown()
        server.server_close()
