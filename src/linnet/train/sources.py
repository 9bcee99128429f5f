"""The training data of a reranker or reader: annotated corpora, and names held out of a terminology and asked without context."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from linnet import corpora
from linnet.errors import DataError
from linnet.evaluate.gold import gold_mentions
from linnet.io.artifact import digest
from linnet.io.settings_files import check_at_least
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.overlap import check_overlap
from linnet.train.corpus import CorpusSettings, corpus_files, no_mention
from linnet.train.held_out_names import HeldOut, hold_out, words_of
from linnet.train.paraphrases import paraphrase
from linnet.types import Document, Mention
from linnet.words.semantic_groups import group_of_concept, mention_type

__all__ = ["AskedSettings", "Source", "SourceSettings"]

# Of names held out of a terminology, the share that is asked with a type, and of these the share with the type of another
# concept: columns and recognisers are sometimes wrong about types.
_TYPED, _WRONG = 0.5, 0.1
_TRIES = 3  # paraphrases drawn for each that is wanted
# Changes whenever other names are held out of a terminology, so that no kept one is taken for the new one.
_VERSION = "2"

_Asked = tuple[str, tuple[str, ...]]  # a text and the ids that are right, () for NIL


@dataclass(frozen=True, kw_only=True)
class AskedSettings(CorpusSettings):
    """Annotated corpora and the terminology of their concepts, or a terminology whose own names are asked.

    names     instead of corpora: so many concepts lose a synonym, which is asked
    absent    of them, so many leave the terminology entirely: the right answer is NIL
    concepts  only concepts of these types are asked for; all for none
    """

    corpora: tuple[Path, ...] = ()
    names: int = 0
    absent: int = 0
    concepts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_at_least(self, 0, "names", "absent")
        if bool(self.corpora) == bool(self.names):
            given = "both 'corpora' and 'names'" if self.corpora else "neither 'corpora' nor 'names'"
            raise ValueError(
                f"a source has {given}; expected one of them: annotated corpora, or a number of names."
            )
        if self.absent > self.names:
            raise ValueError(f"'absent' is {self.absent}; expected at most 'names', {self.names}.")


@dataclass(frozen=True, kw_only=True)
class SourceSettings(AskedSettings):
    """A source of a reranker.

    paraphrased  so many names more are asked in other words, every other one of those held out
    remembered   whether the reranker counts what the mentions meant, see `MentionPriors`
    """

    paraphrased: int = 0
    remembered: bool = True

    def __post_init__(self) -> None:
        AskedSettings.__post_init__(self)
        check_at_least(self, 0, "paraphrased")
        if self.paraphrased and not self.names:
            raise ValueError("'paraphrased' is of names held out; expected 'names' instead of 'corpora'.")


@dataclass(frozen=True, slots=True)
class Source:
    """A source that has been read.

    documents    annotated; a name held out is a document of its own
    terminology  what is linked to: the one that the settings name, or what is left of it without the names held out
    remembered   whether the reranker counts what the mentions meant; never of names held out
    files        of the corpora
    data         name of each file and terminology that was read → its digest
    """

    settings: AskedSettings
    documents: tuple[Document, ...]
    terminology: Terminology
    remembered: bool
    files: tuple[Path, ...]
    data: Mapping[str, str]

    @classmethod
    def read(cls, settings: AskedSettings, folder: Path, *, seed: int) -> Source:
        """Read the corpora, or take names out of the terminology and write the rest below `place`, unless it is there.

        Raises DataError where no mention has a concept; RequestError where the terminology has hardly any of its concepts.
        """
        if settings.names:
            return _held_out(settings, folder, seed)
        if not settings.corpora:
            terminology = Terminology.open(settings.terminology)
            return cls(settings, (), terminology, False, (), {str(settings.terminology): terminology.digest})
        documents = _annotated(settings)
        terminology = Terminology.open(settings.terminology)
        ids = {id for m in gold_mentions(documents, types=settings.types) for id in m.concepts}
        if not ids:
            raise DataError(
                "no mention has a concept. Name a corpus with concept ids.", path=settings.corpora[0]
            )
        whose = ", ".join(path.name for path in settings.corpora)
        check_overlap(ids, [terminology], whose=whose)
        files = tuple(file for path in settings.corpora for file in corpus_files(path))
        data = {str(path): digest(path) for path in files} | {str(settings.terminology): terminology.digest}
        remembered = isinstance(settings, SourceSettings) and settings.remembered
        return cls(settings, tuple(documents), terminology, remembered, files, data)


def _annotated(settings: AskedSettings) -> list[Document]:
    """The documents of the corpora without repetition. Rows of two tables may have the same ids."""
    distinct: dict[tuple[str, str], Document] = {}
    for path in settings.corpora:
        for document in corpora.read(path, annotated=True, **settings.columns.options()):
            distinct.setdefault((document.id, document.text), document)
    documents = list(distinct.values())
    if next(gold_mentions(documents, types=settings.types), None) is None:
        raise no_mention(settings.types, settings.corpora[0])
    return documents


def _held_out(settings: AskedSettings, path: Path, seed: int) -> Source:
    whole = Terminology.open(settings.terminology)
    wanted = set(settings.concepts)
    asked = (lambda concept: bool(wanted & set(concept.types))) if wanted else (lambda concept: True)
    held = hold_out(whole, count=settings.names, absent=settings.absent, seed=seed, asked=asked)
    if not held.names:
        raise DataError(
            "no concept has a synonym that only it has. Name a terminology with synonyms.",
            path=settings.terminology,
        )
    reworded = _in_other_words(held, settings, seed) if isinstance(settings, SourceSettings) else []
    questions = [*held.asked, *reworded]
    typed = _types(questions, whole, seed)
    made_by = (_VERSION, whole.digest, settings.names, settings.absent, seed, *settings.concepts)
    key = digest("\n".join(map(str, made_by)))
    folder = path / f"names-{key[:12]}"
    if not folder.is_dir():
        write_terminology(held.concepts, folder, sources=whole.manifest.get("sources", ()))
    documents = tuple(
        Document(f"{number}", text, (Mention(Document("", text), 0, len(text), text, type, ids),))
        for number, ((text, ids), type) in enumerate(zip(questions, typed, strict=True))
    )
    rest = Terminology.open(folder)
    data = {
        str(settings.terminology): whole.digest,
        f"{settings.terminology}, names held out": rest.digest,
    }
    return Source(settings, documents, rest, False, (), data)


def _in_other_words(held: HeldOut, settings: SourceSettings, seed: int) -> list[_Asked]:
    """Paraphrases of names held out and of names that stay, in turns, with the right answers."""
    chance = random.Random(seed)
    taken = {words_of(name) for concept in held.concepts for name in concept.all_names}
    taken.update(words_of(name) for name, _ in held.asked)
    wanted = set(settings.concepts)
    staying = [c for c in held.concepts if c.name and (not wanted or wanted & set(c.types))]
    found: dict[str, _Asked] = {}
    for number in range(_TRIES * settings.paraphrased):
        if len(found) == settings.paraphrased:
            break
        if number % 2:
            name, id = chance.choice(held.names)
        else:
            concept = chance.choice(staying)
            name, id = chance.choice(concept.all_names), concept.id
        text = paraphrase(name, chance, taken=taken)
        if text is not None:
            found.setdefault(text, (text, (id,)))
    return list(found.values())


def _types(asked: Sequence[_Asked], whole: Terminology, seed: int) -> list[str]:
    """For each name asked, the type of its mention: that of its concept for some, a random one for a few, "" for others."""
    right = [_mention_type(whole, ids[0]) if ids else None for _, ids in asked]
    known = [type for type in right if type]
    chance = random.Random(seed)
    types = []
    for type in right:
        random_type = chance.choice(known) if known else ""
        given, wrong = chance.random() < _TYPED, chance.random() < _WRONG
        # a concept taken out entirely has no type any more
        types.append((random_type if wrong or type is None else type) if given else "")
    return types


def _mention_type(terminology: Terminology, id: str) -> str:
    return mention_type(group_of_concept(terminology[id].types, id))
