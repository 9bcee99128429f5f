"""What a linker may be given: everything else is refused with its place, before anything is linked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.errors import RequestError
from linnet.link.arguments import as_documents, as_mentions, checked_count, checked_threads
from linnet.types import Document, Mention

DOCUMENT = Document("1", "I have gout")
GOUT = Mention(DOCUMENT, 7, 11, "gout")


def test_strings_and_mentions_are_taken_from_any_iterable() -> None:
    texts = [mention.text for mention in as_mentions(iter(["asthma", np.str_("fever"), "", GOUT]))]
    assert texts == ["asthma", "fever", "", "gout"]
    assert [document.text for document in as_documents(iter(["asthma", DOCUMENT]))] == [
        "asthma",
        "I have gout",
    ]


@pytest.mark.parametrize("given", ["gout", b"gout", GOUT, DOCUMENT, None, 5])
def test_one_thing_in_place_of_several_is_refused_at_once(given: Any) -> None:
    with pytest.raises(RequestError, match=r"link\(\) takes a list of mentions; got"):
        as_mentions(given)
    with pytest.raises(RequestError, match=r"annotate_many\(\) takes a list of texts; got"):
        as_documents(given)


@pytest.mark.parametrize("item", [None, float("nan"), b"gout", 5, ["gout"]])
def test_an_item_of_another_kind_is_named_with_its_place(item: Any) -> None:
    with pytest.raises(RequestError, match=r"item 1 is .*Leave missing values out"):
        as_mentions(["gout", item])
    with pytest.raises(RequestError, match=r"item 1 is .*Leave missing values out"):
        list(as_documents(["gout", item]))


@pytest.mark.parametrize(("start", "end"), [(7, 12), (7, 400), (-4, 11), (11, 7), (None, None), (7.0, 11)])
def test_a_mention_whose_place_is_not_in_its_document_is_refused(start: Any, end: Any) -> None:
    with pytest.raises(RequestError, match="Correct the offsets"):
        as_mentions([replace(GOUT, start=start, end=end)])


def test_another_text_may_be_looked_up_in_the_place_of_a_mention() -> None:
    other = replace(GOUT, text="podagra")
    assert as_mentions([other]) == [other]


@pytest.mark.parametrize("k", [0, -1, 2.5, "5", None, True])
def test_a_number_of_candidates_is_a_whole_number(k: Any) -> None:
    with pytest.raises(RequestError, match=r"k is .*expected 1 or more"):
        checked_count(k)
    assert checked_count(np.int64(3)) == 3


@pytest.mark.parametrize("threads", [0, -3, 2.5, "2", True])
def test_threads_are_a_whole_number_or_left_out(threads: Any) -> None:
    with pytest.raises(RequestError, match=r"threads is .*Leave it out"):
        checked_threads(threads)
    with pytest.raises(RequestError, match=r"threads is .*Leave it out"):
        linnet.load("starter", threads=threads)
    assert checked_threads(None) is None


def test_a_list_of_terminologies_is_told_how_to_write_it() -> None:
    with pytest.raises(
        RequestError, match=r"Several are separate arguments: linnet.load\('mesh/', 'doid/'\)"
    ):
        linnet.load(["mesh/", "doid/"])  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [None, b"gout", 5, ["gout"]])
def test_only_a_text_or_a_document_is_annotated(text: Any) -> None:
    with pytest.raises(RequestError, match=r"annotate\(\) takes a text or a Document"):
        linnet.starter().annotate(text)


def test_a_text_in_place_of_several_is_not_annotated_letter_by_letter() -> None:
    with pytest.raises(RequestError, match="got one: 'gout'"):
        linnet.starter().annotate_many("gout")


@pytest.mark.parametrize("text", [None, b"gout", 5])
def test_a_document_or_mention_without_a_text_is_refused(text: Any) -> None:
    with pytest.raises(RequestError, match=r"Document '1' has the text .*expected a string"):
        list(as_documents([replace(DOCUMENT, text=text)]))
    with pytest.raises(RequestError, match="Document '1' has the text"):
        as_mentions([replace(GOUT, document=replace(DOCUMENT, text=text))])
    with pytest.raises(RequestError, match="Item 0 is a mention whose text is"):
        as_mentions([replace(GOUT, text=text)])
