"""The JSON that Cutaway publishes and prints is what its schemas say, under the version that it names."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from cutaway.app.docs import schemas
from cutaway.app.docs.schemas.plan import guide
from cutaway.app.model_page.page import as_json
from cutaway.app.site.pages import all_pages
from cutaway.gallery.command import cli
from cutaway.gallery.command.arguments import parser
from cutaway.gallery.schema_version import VERSION
from tests.one_site import SITE

KEPT = Path(__file__).with_name("schema_versions.json")
FOLDERS = {"parts": "parts", "whatif": "whatif"}  # below /data/; a model's own file lies in its owner's folder
V3 = ("deepseek-ai/DeepSeek-V3", "--on", "h200_sxm:2x8", "--tp", "8")
ASKED = (
    ("facts", "openai/gpt-oss-20b"),
    ("facts", "meta-llama/Llama-3.2-11B-Vision-Instruct"),
    ("facts", "Qwen/Qwen3-8B", "--edit", "heads=64,layers=40"),
    ("weights", "Qwen/Qwen3-8B", "--layer", "0"),
    ("memory", "Qwen/Qwen3-Next-80B-A3B-Instruct", "--context", "8k,1M", "--batch", "3"),
    ("flops", "openai/gpt-oss-20b", "--context", "8k,128k"),
    ("flops", "Qwen/Qwen3-Next-80B-A3B-Instruct", "--prefill"),
    ("compare", "Qwen/Qwen3-8B", "openai/gpt-oss-20b", "deepseek-ai/DeepSeek-V3"),
    ("lineage", "openai/gpt-oss-20b"),
    ("lineage", "deepseek-ai/DeepSeek-V3"),
    ("list",),
    ("plan", *V3),
    ("plan", *V3, "--job", "train", "--ep", "2", "--dp", "2"),
    ("plan", *V3, "--job", "prefill", "--batch", "8"),
    ("plan", "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "--on", "gb300:2x4", "--job", "train", "--ep", "8",
     "--batch", "512", "--micro-batch", "4", "--sequence", "8192"),
)  # fmt: skip


@cache
def checker(name: str) -> Draft202012Validator:
    return Draft202012Validator(schemas.SCHEMAS[name])


def faults(name: str, text: str | bytes) -> list[str]:
    """What a schema finds wrong in a file."""
    return [f"{list(one.absolute_path)}: {one.message[:200]}" for one in checker(name).iter_errors(json.loads(text))]


def schema_of(page) -> str:
    """The schema of a page of the site, "" for what has none."""
    first, *rest = page.path.removeprefix("/data/").split("/")
    if page.path == "/data/models.json":
        return "models"
    if page.model and page.path == f"/data/{page.model}.json":
        return "model"
    return FOLDERS.get(first, "") if len(rest) == 2 else ""


def test_every_schema_is_one():
    """Each is sound by its own dialect, and served as it is."""
    served = {one.path: one.content() for one in all_pages(SITE) if one.path.startswith("/data/schema/")}
    assert set(served) == {f"/data/schema/{name}.json" for name in schemas.SCHEMAS}
    for name, schema in schemas.SCHEMAS.items():
        Draft202012Validator.check_schema(schema)
        assert json.loads(served[f"/data/schema/{name}.json"]) == schema


@pytest.mark.whole
def test_every_published_file_is_what_its_schema_says(verified):
    """The catalogue's table, and of every model its numbers, its drawing and what can be edited."""
    found, wrong = dict.fromkeys(schemas.PUBLISHED, 0), []
    for page in all_pages(SITE):
        if page.path.startswith("/data/") and (name := schema_of(page)):
            found[name] += 1
            wrong += [(page.path, one) for one in faults(name, page.content())]
    assert wrong == []
    drawn = sum(1 for row in SITE.rows if row.snapshot)
    assert found == {"models": 1, "model": len(SITE.rows), "parts": drawn, "whatif": drawn}
    verified("published files of data", sum(found.values()), len(wrong), "their JSON Schemas, by jsonschema")


@pytest.mark.whole
@pytest.mark.parametrize("words", ASKED, ids=lambda words: " ".join(words[:2] + words[-2:]))
def test_what_a_command_prints_is_what_its_schema_says(capfdbinary, words):
    """With --json, for models of every make, jobs of every kind."""
    asked = [*words, "--json"]
    assert cli.main(asked + ["--offline"] * hasattr(parser().parse_args(asked), "offline")) == 0
    assert faults(words[0], capfdbinary.readouterr().out) == []


def test_every_command_with_json_has_a_schema():
    """A command that learns --json needs one."""
    known = parser().commands.items()
    having = {name for name, one in known if any("--json" in action.option_strings for action in one._actions)}
    assert having == set(schemas.PRINTED)
    assert {words[0] for words in ASKED} == having


@pytest.mark.parametrize(
    ("break_", "says"),
    [
        (lambda data: data.pop("slug"), "'slug' is a required property"),
        (lambda data: data.update(size=1), "'size' was unexpected"),
        (lambda data: data["parameters"].update(total="8 B"), "'8 B' is not of type 'integer'"),
        (lambda data: data.update(schema="0.9"), f"'{VERSION}' was expected"),
    ],
)
def test_a_file_that_is_not_so_is_refused(break_, says):
    """A missing key, a new one, a number as words, another version: each is named."""
    data = json.loads(as_json(SITE, SITE.view("Qwen/Qwen3-8B")))
    break_(data)
    assert any(says in one for one in faults("model", json.dumps(data)))


def shape(schema: object) -> object:
    """A schema without its words."""
    if isinstance(schema, list):
        return [shape(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    named = {"properties"}
    return {
        key: {name: shape(one) for name, one in value.items()} if key in named else shape(value)
        for key, value in schema.items()
        if key not in ("description", "title", "const")
    }


def test_a_schema_that_changes_has_a_new_version():
    """Keys and kinds of value are those kept under this version; else VERSION rises, and the file is kept anew.

    `python -m tests.app.test_docs_schemas` writes it.
    """
    assert json.loads(KEPT.read_text()) == digests()


def digests() -> dict[str, str]:
    """Version -> a digest of each schema."""
    made = {name: json.dumps(shape(schema), sort_keys=True) for name, schema in schemas.SCHEMAS.items()}
    return {"version": VERSION} | {name: hashlib.sha256(text.encode()).hexdigest()[:16] for name, text in made.items()}


def test_every_key_of_a_plan_has_its_words():
    """Each description is what plan_json.md says of the key under its heading."""
    plan = schemas.PRINTED["plan"]["properties"]
    for name in ("fits", "ranks", "communicators", "step", "layouts", "owners", "formulas"):
        part = plan[name].get("items", plan[name])
        for key, one in part["properties"].items():
            assert one["description"], (name, key)
    assert plan["step"]["properties"]["tokens"]["description"] == guide()["step"]["tokens"]
    assert plan["fits"]["description"] == "whether it fits, and what would"


if __name__ == "__main__":
    KEPT.write_text(json.dumps(digests(), indent=1) + "\n")
