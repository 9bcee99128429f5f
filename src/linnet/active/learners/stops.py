"""Learns names that are not mentions here."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

from linnet.active.learned_items import LearnedStop, write_stops
from linnet.active.training_data import Progress, TrainingData
from linnet.link.pipeline import Pipeline
from linnet.plural import counted
from linnet.terminology import Terminology
from linnet.types import Mention
from linnet.words.text import simplify

__all__ = ["LearnStops"]

# A name becomes a stop if fewer than this share of its matches in accepted documents are mentions: that saves far more
# wrong matches than it costs right ones. It must be seen twice, so that one slip does not decide.
_SHARE = 0.25
_SEEN = 2


class LearnStops:
    """Names that were found where nothing is annotated are no longer looked for."""

    quick = True

    def available(self) -> bool:
        """Always."""
        return True

    def unsuitable(self, pipeline: Pipeline, terminology: Terminology) -> str:
        """See `Learner`: it learns for any."""
        return ""

    def learn(self, data: TrainingData, folder: Path, progress: Progress) -> str:
        """Find mentions in the accepted documents; count, by normal form, how many overlap an annotation of any
        annotator."""
        right: Counter[str] = Counter()
        seen: Counter[str] = Counter()
        documents: Counter[str] = Counter()
        recognised = data.linker.link_documents(
            [document.with_mentions(()) for document in data.documents], recognise=True, k=1
        )
        others: defaultdict[str, list[Mention]] = defaultdict(list)
        for document in data.others:
            others[document.id].extend(document.mentions)
        for number, (document, linked) in enumerate(zip(data.documents, recognised, strict=True)):
            progress(number / max(len(data.documents), 1), "Looking for names that are not mentions here")
            annotated = [*document.mentions, *others[document.id]]
            for mention in linked.document.mentions:
                form = simplify(mention.text)
                seen[form] += 1
                right[form] += any(m.start < mention.end and mention.start < m.end for m in annotated)
            documents.update({simplify(mention.text) for mention in linked.document.mentions})
        stops = [
            LearnedStop(form, count, right[form], documents[form])
            for form, count in seen.items()
            if count >= _SEEN and right[form] < _SHARE * count and not data.blocked.has_stop(form)
        ]
        write_stops(stops, folder)
        return f"{counted(len(stops), 'names')} no longer looked for"
