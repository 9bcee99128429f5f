"""What changes when a text gets one more line is counted, and what is found in the line is not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, cast

from benchmarks.clinical.one_more_line import one_more_line, rows
from linnet.types import Document, LinkedDocument, LinkedMention, Mention

NOTES, ARTICLES = (
    ["PMH: gout, on treatment for years."],
    ["We studied the effects of asthma in many patients."],
)


class _Linker:
    """Finds "gout" and "asthma"; a text with "studied" is an article, in which gout means something else."""

    def annotate_many(self, texts: Iterable[str]) -> Iterator[LinkedDocument]:
        for text in texts:
            document = Document("", text, note=0.0 if "studied" in text else 1.0)
            mentions = [
                Mention(document, *found.span(), found[0], concepts=(f"{found[0]} {document.text_kind}",))
                for found in re.finditer("gout|asthma", text)
            ]
            yield LinkedDocument(
                "", text, cast("tuple[LinkedMention, ...]", tuple(mentions)), note=document.note
            )


def test_documents_of_another_kind_and_with_other_links_are_counted() -> None:
    linker = cast(Any, _Linker())
    changed = one_more_line(["No gout today."], linker, notes=NOTES, articles=ARTICLES)
    turned = {name: [kinds > 0, links > 0] for name, (kinds, links, _) in changed.items()}
    assert turned == {
        f"{line} {place}": [is_article, is_article]
        for line, is_article in (
            ("a blank line", False),
            ("a line of a note", False),
            ("a sentence of an article", True),
        )
        for place in ("before", "behind")
    }
    assert next(rows(changed)) == ["a blank line before", "0 of 4", "0 of 4"]
