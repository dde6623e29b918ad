"""Bytes that claim to be a config: every encoding of JSON, comments and trailing commas, and what is none."""

import codecs
import json
import time

import pytest

from cutaway.gallery import ConfigError
from cutaway.gallery.hub.json_text import lenient, parse

CONFIG = {"hidden_size": 64, "name": "é // no, /* comment */ # here, ]", "list": [1, 2]}
TEXT = json.dumps(CONFIG, ensure_ascii=False)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
def test_every_encoding_of_json_is_read(encoding):
    """With and without a byte order mark: what editors on Windows save."""
    assert parse(TEXT.encode(encoding)) == CONFIG


def test_a_mark_in_the_middle_of_a_paste_is_passed_over():
    """Text that was decoded elsewhere may still carry its mark."""
    assert parse("\ufeff" + TEXT) == CONFIG


COMMENTED = """{
  // the width
  "hidden_size": 64, # as trained
  "name": "é // no, /* comment */ # here, ]", /* and
  more */ "list": [1, 2, /* last */ ],
}"""


def test_comments_and_trailing_commas_are_read_and_told():
    """A file of one's own is read past them; a sentence says what was passed over and where it began."""
    config, notice = lenient(COMMENTED.encode())
    assert config == CONFIG
    assert notice == "4 comments and 2 trailing commas were passed over, the first at line 2, column 3"
    assert lenient(b'{"a": [1,]}') == ({"a": [1]}, "1 trailing comma was passed over, the first at line 1, column 9")
    assert lenient(b'{"a": 1} // x') == ({"a": 1}, "1 comment was passed over, the first at line 1, column 10")
    assert lenient(TEXT.encode()) == (CONFIG, "")


def test_where_they_may_not_stand_a_sentence_says_where():
    """The Hub's own file has to be JSON: the first comment or comma is named with its place."""
    with pytest.raises(ConfigError, match=r"x is not plain JSON: a comment at line 2, column 3"):
        parse(COMMENTED, "x")
    with pytest.raises(ConfigError, match=r"x is not plain JSON: a trailing comma at line 1, column 9"):
        parse('{"a": [1,]}', "x")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{ // one\n "a": }', "line 2, column 7"),
        ('{"a": 1,,}', "line 1, column 9"),
        ("{'a': 1}", "line 1, column 2"),
        ('{"a": /* open', "line 1, column 7"),
        ('{"a": "open // }', "line 1, column 7"),
        ('{"a": 1 / 2}', "line 1, column 9"),
    ],
)
def test_what_is_wrong_beside_comments_is_named_at_its_own_place(text, place):
    """Passing over keeps every line and column where it was."""
    with pytest.raises(ConfigError, match=f"not whole JSON .* at {place}"):
        lenient(text)


@pytest.mark.parametrize("text", ['"\\', '"', "/*", "//", ",", ", ", "#", "/", '\\"'])
def test_reading_past_comments_takes_no_time(text):
    """A long row of anything is seen once: a quadratic search would take minutes."""
    start = time.process_time()
    with pytest.raises(ConfigError):
        lenient("{" + text * (400_000 // len(text)))
    assert time.process_time() - start < 8


@pytest.mark.parametrize("text", ['{"a": "open', '{"a": 1', '{"a": [1,'])
def test_half_a_file_is_said_to_break_off(text):
    """An open string, an open object and an open list are a file that is not whole."""
    with pytest.raises(ConfigError, match=r"is not whole JSON \(it breaks off at line 1"):
        parse(text)


def test_utf16_cut_in_half_is_a_sentence():
    """Half a character at the end is named for the encoding it broke."""
    with pytest.raises(ConfigError, match="is not UTF-16-LE text"):
        parse(codecs.BOM_UTF16_LE + "{}".encode("utf-16-le") + b"\x20", "x")


def test_what_nests_deeper_than_any_config_is_refused_before_it_is_parsed():
    """A hundred levels are parsed, one more is not; brackets in strings, and those that close, do not count."""
    assert parse('{"a": ' * 100 + "1" + "}" * 100)
    for text in ('{"a": ' * 101 + "1" + "}" * 101, "[" * 101, "[" * 200_000, '{"a": "\\"", "b": ' + "[" * 100):
        with pytest.raises(ConfigError, match="is nested too deeply to be a config"):
            parse(text)
    assert parse(json.dumps({"a": "[{" * 500, "b": [[]] * 500})) == {"a": "[{" * 500, "b": [[]] * 500}
    with pytest.raises(ConfigError, match="is not whole JSON"):
        parse('{"a": "' + "[" * 500)
