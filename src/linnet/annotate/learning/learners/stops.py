"""What people remove is not found again."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from linnet.annotate.learning.lesson import Lesson, Told
from linnet.files import open_output
from linnet.link.learned import STOPS
from linnet.text import simplify

__all__ = ["LearnStops"]

# A name is dropped where fewer than this share of its matches in checked documents are mentions. Dropping it then
# costs fewer right matches than it saves wrong ones by far; that it was seen twice keeps one slip from deciding.
_SHARE = 0.25
_SEEN = 2


class LearnStops:
    """Names that were found where nothing was annotated are not looked for any more."""

    quick = True

    def available(self) -> bool:
        """Always."""
        return True

    def learn(self, lesson: Lesson, folder: Path, told: Told) -> str:
        """Recognise mentions in the checked documents and count, by normal form, how many overlap an annotation."""
        right: Counter[str] = Counter()
        seen: Counter[str] = Counter()
        found = lesson.linker.link_documents(
            [document.with_mentions(()) for document in lesson.documents], recognise=True, k=1
        )
        for number, (document, linked) in enumerate(zip(lesson.documents, found, strict=True)):
            told(number / max(len(lesson.documents), 1), "Looking for names that are none here")
            for mention in linked.document.mentions:
                form = simplify(mention.text)
                seen[form] += 1
                right[form] += any(
                    one.start < mention.end and mention.start < one.end for one in document.mentions
                )
        stops = sorted(
            form for form, count in seen.items() if count >= _SEEN and right[form] < _SHARE * count
        )
        with open_output(folder / STOPS) as stream:
            stream.write(json.dumps(stops, ensure_ascii=False, indent=1) + "\n")
        return f"{len(stops):,} names that are none here"
