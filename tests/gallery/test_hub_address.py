"""What a reader types -> a repo, a revision and a file on the Hub, or a sentence."""

import pytest

from cutaway.gallery.hub.repo_address import Address, HubError, address

ADDRESSES = {
    "openai/gpt-oss-20b": Address("openai/gpt-oss-20b"),
    " openai/gpt-oss-20b@v1 ": Address("openai/gpt-oss-20b", "v1"),
    "gpt2": Address("gpt2"),
    "https://huggingface.co/openai/gpt-oss-20b": Address("openai/gpt-oss-20b"),
    "https://huggingface.co/openai/gpt-oss-20b?x=1#y": Address("openai/gpt-oss-20b"),
    "huggingface.co/openai/gpt-oss-20b": Address("openai/gpt-oss-20b"),
    "https://hf.co/gpt2": Address("gpt2"),
    "hf://openai/gpt-oss-20b@abc": Address("openai/gpt-oss-20b", "abc"),
    "hf://black-forest-labs/FLUX.1-dev/text_encoder_2/config.json": Address(
        "black-forest-labs/FLUX.1-dev", None, "text_encoder_2/config.json"
    ),
    "hf://a/b/text_encoder_2": Address("a/b", None, "text_encoder_2/config.json"),
    "hf://a/b/model-00001-of-00002.safetensors": Address("a/b"),
    "hf://models/a/b@v1": Address("a/b", "v1"),
    "hf://gpt2": Address("gpt2"),
    "hf://gpt2/config.json": Address("gpt2", "main", "config.json"),
    "hf://a/b/blob/v1/config.json": Address("a/b", "v1", "config.json"),
    "hf://a/b@refs/pr/3": Address("a/b", "refs/pr/3"),
    "hf://gpt2@refs/pr/3/sub/config.json": Address("gpt2", "refs/pr/3", "sub/config.json"),
    "hf://a/b@refs%2Fpr%2F3/config.json": Address("a/b", "refs/pr/3", "config.json"),
    "a/b@refs/pr/3": Address("a/b", "refs/pr/3"),
    "https://huggingface.co/a/b@refs/pr/3": Address("a/b", "refs/pr/3"),
    "https://huggingface.co/a/b/blob/main/config.json": Address("a/b", "main", "config.json"),
    "https://huggingface.co/a/b/resolve/abc123/config.json?download=true": Address("a/b", "abc123", "config.json"),
    "https://huggingface.co/a/b/raw/main/params.json": Address("a/b", "main", "params.json"),
    "https://huggingface.co/a/b/tree/v1": Address("a/b", "v1"),
    "https://huggingface.co/a/b/tree/main/original": Address("a/b", "main", "original/config.json"),
    "https://huggingface.co/a/b/blob/refs%2Fpr%2F3/config.json": Address("a/b", "refs/pr/3", "config.json"),
    "https://huggingface.co/a/b/tree/refs/pr/3": Address("a/b", "refs/pr/3"),
    "https://huggingface.co/a/b/blob/main/model-00001-of-00002.safetensors": Address("a/b", "main"),
    "https://huggingface.co/a/b/commit/abc": Address("a/b", "abc"),
    "https://huggingface.co/a/b/discussions/7": Address("a/b"),
    "https://huggingface.co/api/models/a/b": Address("a/b"),
    "https://huggingface.co/a/b/commits/v1": Address("a/b", "v1"),
    "https://huggingface.co/a/b/blame/v1/config.json": Address("a/b", "v1", "config.json"),
    "https://huggingface.co/api/models/a/b/revision/abc123": Address("a/b", "abc123"),
    "https://huggingface.co/api/models/a/b/revision/refs%2Fpr%2F3": Address("a/b", "refs/pr/3"),
    "https://huggingface.co/api/models/gpt2/revision/abc123": Address("gpt2", "abc123"),
    "https://huggingface.co/gpt2/blob/main/config.json": Address("gpt2", "main", "config.json"),
}


@pytest.mark.parametrize("text", ADDRESSES)
def test_every_form_of_address_is_read(text):
    """Repo ids and the URLs of a model's pages name the same repo, revision and file."""
    assert address(text) == ADDRESSES[text]


WRONG = {
    "https://huggingface.co/datasets/squad": "is a dataset, not a model",
    "datasets/squad": "is a dataset, not a model",
    "https://huggingface.co/spaces/a/b": "is a Space, not a model",
    "https://huggingface.co/papers/2401.00001": "is a paper, not a model",
    "https://example.org/a/b": "is not an address on the Hub",
    "ftp://huggingface.co/a/b": "is not an address on the Hub",
    "https://huggingface.co/": "names no repo",
    "a/b/c": "is not a repo id",
    "a b": "is not a repo id",
    "../etc/passwd": "is not a repo id",
    "a--b/c": "is not a repo id",
    "": "names no repo",
    "a/b/../c": "is not a repo id",
    "https://huggingface.co/a/b/blob/main/../../x.json": "names no file inside a repo",
    "<script>/x": "is not a repo id",
    "hf://datasets/a/b": "is a dataset, not a model",
    "hf://": "names no repo",
    "hf://a/b/../x.json": "names no file inside a repo",
    "https://huggingface.co/a/b/text_encoder/config.json": "names a file, but not how the Hub shows it",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_model_gets_a_sentence(text):
    """Datasets, Spaces, other hosts and nonsense are refused with what they are and what to give instead."""
    with pytest.raises(HubError) as failed:
        address(text)
    assert (failed.value.kind, WRONG[text] in str(failed.value)) == ("address", True)
    assert "give a model's repo id such as openai/gpt-oss-20b" in str(failed.value)
