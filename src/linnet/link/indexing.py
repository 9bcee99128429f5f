"""Building the indexes that a pipeline searches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self, TypedDict, Unpack

from linnet.advice import Step
from linnet.encode.model import open_model
from linnet.encode.named_models import absent_model, model_class, model_place
from linnet.encode.two_tower import is_two_tower
from linnet.errors import RequestError, StoreError, UnknownNameError
from linnet.io import artifact
from linnet.link.default_pipeline import store_pipeline
from linnet.link.pipeline import Pipeline
from linnet.link.pipeline_files import read_pipeline
from linnet.link.second_index import SecondIndex, second_index
from linnet.rerank import rerankers
from linnet.rerank.amounts import holds_amounts
from linnet.rerank.name_feature_index import NameFeatureIndex
from linnet.retrieve import build_retriever, open_retriever, retriever_class
from linnet.retrieve.dense import FORMS
from linnet.retrieve.encoder_stamp import encoder_source
from linnet.retrieve.entities import FORMS as ENTITY_FORMS
from linnet.retrieve.index import MANIFEST as INDEX_MANIFEST
from linnet.retrieve.index import index_kind, index_path
from linnet.retrieve.registry import DEFAULT_ENCODER, encoder_for, has_vectors
from linnet.retrieve.spelling import Spelling
from linnet.terminology import Terminology

__all__ = [
    "BuildOptions",
    "build_indexes",
    "build_name_features",
    "build_second_index",
    "check_request",
    "index_terminology",
]

# Options of an index that an update keeps → their values.
_KEPT: dict[str, Sequence[Any]] = {"form": FORMS, "glossary": (False, True)}
# What a terminology whose names hold amounts is linked with.
_OF_AMOUNTS: dict[str, Any] = {"reranker": "strengths", "amounts": True, "composites": False, "depth": 64}
# Kinds of rerankers that use `NameFeatureIndex`.
_WITH_NAME_FEATURES = ("listwise", "second-encoder")


class BuildOptions(TypedDict, total=False):
    """Options of all indexes.

    update    keep indexes that are up to date: of this content, encoder and form. In an outdated index of vectors only new names or
              concepts are encoded, and its form stays unless another is asked for
    since     an older release of the terminology, whose vectors are reused instead
    threads   None: all cores
    started   called with the name of each index before it is built
    progress  called with the current step, the amount done, and the total
    """

    update: bool
    since: str | Path | None
    threads: int | None
    started: Callable[[str], None] | None
    progress: Callable[[str, int, int], None] | None


def index_terminology(
    terminology: Terminology,
    *,
    retrievers: Sequence[str] | None = None,
    encoder: str | Path | None = None,
    dense: str | None = None,
    glossary: bool | None = None,
    reranker: str | Path | None = None,
    pipeline: str | Path | None = None,
    **options: Unpack[BuildOptions],
) -> None:
    """Build the indexes that linking against a terminology needs, and make them what it searches by default.

    retrievers  kinds of indexes; None: those of the terminology's pipeline, with "entities" in the place of "dense" for an
                encoder with two towers. Rebuilding some of these leaves the pipeline as it is
    encoder     of the dense index, or of that of entities; None: that of the pipeline
    reranker    reorders the candidates by default from now on, "none" for none; what it searches is built. None: as before; in a new
                terminology whose names hold amounts "strengths", with strings taken as they are
    pipeline    also build what this one searches, see `read_pipeline`; the default does not change
    dense, glossary, options
                as of `build_indexes`; started is also told "parts" before names are taken apart for the reranker

    Raises as `check_request`, `build_indexes`, `build_name_features` and `read_pipeline`, and UnknownNameError or StoreError for
    a reranker that does not exist.
    """
    now, besides = _pipelines(terminology, reranker, pipeline)
    names = _usual_retrievers(now, encoder) if retrievers is None else retrievers
    check_request(names, encoder, dense)
    encoder = encoder or now.encoder
    if pipeline is not None:
        _check_besides(terminology, besides, names, encoder)
    # The pipeline names one encoder. Beside two towers, the dense index keeps the one that it was built with.
    like = terminology if is_two_tower(encoder) else None
    build_indexes(terminology, names, encoder=encoder, like=like, dense=dense, glossary=glossary, **options)
    if pipeline is not None and (others := [name for name in besides.retrievers if name not in names]):
        build_indexes(terminology, others, encoder=besides.encoder or encoder, **options)
    _build_for_rerankers(terminology, now, besides, dense, options)
    _search_by_default(terminology, now, tuple(names), encoder, glossary)


def _pipelines(
    terminology: Terminology, reranker: str | Path | None, pipeline: str | Path | None
) -> tuple[Pipeline, Pipeline]:
    """The default from now on, and the one to build for besides, which is the same without `pipeline`."""
    before = Pipeline.from_manifest(terminology.pipeline)
    if reranker is None and not terminology.pipeline and holds_amounts(terminology):
        before = replace(before, **_OF_AMOUNTS)
    now = before if reranker is None else replace(before, reranker=_existing(reranker))
    besides = now if pipeline is None else replace(now, **read_pipeline(pipeline))
    if besides.reranker is not None:
        _existing(besides.reranker)
    return now, besides


def _search_by_default(
    terminology: Terminology,
    now: Pipeline,
    names: tuple[str, ...],
    encoder: str | Path | None,
    glossary: bool | None,
) -> None:
    """Store the pipeline with the indexes of these names, unless they are some of its own that were rebuilt."""
    kept = [name for name in now.retrievers if name not in names]
    rebuilt = set(names) <= set(now.retrievers) and all(index_kind(terminology, name) for name in kept)
    chosen = replace(
        now,
        retrievers=now.retrievers if rebuilt else names,
        encoder=None if encoder is None else str(encoder),
        glossary=now.glossary if glossary is None else glossary,
    )
    if chosen != Pipeline.from_manifest(terminology.pipeline):
        store_pipeline(terminology, chosen)


def _build_for_rerankers(
    terminology: Terminology, now: Pipeline, besides: Pipeline, form: str | None, options: BuildOptions
) -> None:
    """What the rerankers of two pipelines look up; the features of names, which both use, are built once."""
    threads, started = options.get("threads"), options.get("started")
    for each in dict.fromkeys((now, besides)):
        update = options.get("update", False) or each is not now
        build_name_features(terminology, each, update=update, threads=threads, started=started)
    for wanted in dict.fromkeys(second_index(each.reranker) for each in (now, besides)):
        build_second_index(terminology, wanted, form=form, **options)


def _check_besides(
    terminology: Terminology, besides: Pipeline, names: Sequence[str], encoder: str | Path | None
) -> None:
    """Raise RequestError where another pipeline searches vectors that indexes of these names will not have: there is one of each.

    encoder  that the indexes will be built with, None for the default of their kind
    """
    shared = [name for name in besides.retrievers if name in names and has_vectors(name)]
    built_with = encoder or DEFAULT_ENCODER
    wanted = besides.encoder or built_with
    if shared and encoder_source(wanted) != encoder_source(built_with):
        raise RequestError(
            f"This pipeline searches '{shared[0]}' with encoder {wanted}, but {terminology.path} has it with {built_with}, and "
            f"only one of them.",
            Step.BUILD_OR_REPLACE(terminology=terminology.path, encoder=wanted),
        )


def _existing(reranker: str | Path) -> str | None:
    """The reranker, None for "none". Raises UnknownNameError or StoreError if there is no such model, MismatchError for a model
    of another kind."""
    if str(reranker) == "none":
        return None
    path = model_place(reranker)
    if not path.is_dir():
        raise absent_model(reranker, "reranker", rerankers, ["DIRECTORY", "none"])
    model_class(path, "a reranker", rerankers)
    return str(reranker)


def check_request(
    retrievers: Sequence[str] | None, encoder: str | Path | None = None, dense: str | None = None
) -> None:
    """Refuse what can be refused before anything is read: no index, unknown kinds and forms, an encoder without its index.

    Raises RequestError, UnknownNameError.
    """
    if dense is not None and dense not in FORMS:
        raise UnknownNameError("dense form", dense, FORMS)
    if retrievers is None:
        return
    if isinstance(retrievers, str):
        raise RequestError(f"'retrievers' must be a list; got '{retrievers}'. Write: ['{retrievers}']")
    if not retrievers:
        raise RequestError("No index is named.", Step.NAME_INDEXES(retrievers=["exact", "dense"]))
    for name in retrievers:
        retriever_class(name)
    if encoder is not None and is_two_tower(encoder) and "entities" not in retrievers:
        raise RequestError(
            f"{encoder} has two towers and is for the index of entities.",
            Step.ADD_INDEX(retrievers=["exact", "entities"]),
        )
    if encoder is not None and not is_two_tower(encoder) and "dense" not in retrievers:
        raise RequestError(
            "An encoder is for the dense index.", Step.ADD_INDEX(retrievers=["exact", "dense"])
        )
    if dense is not None and "dense" not in retrievers:
        if "entities" not in retrievers:
            raise RequestError(
                "A form is for the dense index.", Step.ADD_INDEX(retrievers=["exact", "dense"])
            )
        if dense not in ENTITY_FORMS:
            raise UnknownNameError("form of an index of entities", dense, ENTITY_FORMS)


def _usual_retrievers(pipeline: Pipeline, encoder: str | Path | None) -> tuple[str, ...]:
    """Those of the pipeline; with an encoder of the other kind, "dense" and "entities" change places."""
    here, there = ("dense", "entities") if is_two_tower(encoder) else ("entities", "dense")
    if encoder is None or there in pipeline.retrievers:
        return pipeline.retrievers
    return tuple(there if name == here else name for name in pipeline.retrievers)


def build_indexes(
    terminology: Terminology,
    retrievers: Sequence[str],
    *,
    encoder: str | Path | None = None,
    dense: str | None = None,
    like: Terminology | None = None,
    glossary: bool | None = None,
    **options: Unpack[BuildOptions],
) -> None:
    """Build an index of each of these kinds, and with "exact" the vocabulary for misspelt words; existing ones are replaced.

    encoder         of the dense index, or, with two towers, of that of entities
    dense           form of both ("flat", "hnsw", for the dense index also "ivf"); by default it depends on their size
    like            an indexed terminology: an index that `encoder` is not for is built with the encoder that its index has there
    glossary        whether indexes of words and characters use `linnet.words.glossary`; None: no, but `update` keeps those that do

    Raises UnknownNameError for an unknown kind, RequestError for "entities" without a model to build it with, and StoreError
    for a `since` without vectors to reuse, before anything is built; StoreError if an index cannot be written.
    """
    for name in retrievers:
        retriever_class(name)
    building = _Building.of(terminology, options)
    if building.older is not None:
        _check_vectors(building.older, retrievers)
        if "entities" in retrievers:
            like = like or building.older
    encoders = {name: encoder_for(terminology, name, encoder, like=like) for name in retrievers}
    for name in retrievers:
        form = _fitting_form(name, dense)
        if not (building.update and _is_current(terminology, name, encoder, form, glossary)):
            building.build(name, kind=name, encoder=encoders[name], form=form, glossary=glossary)
    if "exact" in retrievers and not (building.update and Spelling.is_current(terminology)):
        if building.started is not None:
            building.started("spelling")
        Spelling.build(terminology)


def build_name_features(
    terminology: Terminology,
    pipeline: Pipeline,
    *,
    update: bool = False,
    threads: int | None = None,
    started: Callable[[str], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Precompute features of names if the pipeline's reranker uses them, which makes it several times as fast.

    Options as for `build_indexes`; `progress` is called with the number of names done and the total. Raises StoreError if the
    index cannot be written, and as `open_model` if the reranker cannot be opened.
    """
    if (
        pipeline.reranker is None
        or open_model(model_place(pipeline.reranker), checked=False).kind not in _WITH_NAME_FEATURES
    ):
        return
    if update and NameFeatureIndex.is_current(terminology):
        return
    if started is not None:
        started("parts")
    NameFeatureIndex.build(terminology, threads=threads, progress=progress)


def build_second_index(
    terminology: Terminology,
    wanted: SecondIndex | None,
    *,
    form: str | None = None,
    **options: Unpack[BuildOptions],
) -> None:
    """Build the index that a reranker searches, if it searches one (`second_index`); options as for `build_indexes`."""
    if wanted is None:
        return
    if not (options.get("update") and _is_current(terminology, wanted.name, wanted.encoder, form, None)):
        building = _Building.of(terminology, options)
        building.build(wanted.name, kind="dense", encoder=wanted.encoder, form=form)


@dataclass(frozen=True, slots=True)
class _Building:
    """`BuildOptions` with the opened `since` as `older`."""

    terminology: Terminology
    update: bool
    older: Terminology | None
    threads: int | None
    started: Callable[[str], None] | None
    progress: Callable[[str, int, int], None] | None

    @classmethod
    def of(cls, terminology: Terminology, options: BuildOptions) -> Self:
        since = options.get("since")
        return cls(
            terminology,
            options.get("update", False),
            None if since is None else Terminology.open(since),
            options.get("threads"),
            options.get("started"),
            options.get("progress"),
        )

    def build(
        self, name: str, *, kind: str, encoder: Any, form: str | None, glossary: bool | None = None
    ) -> None:
        """Build one index, even if it is current. form, glossary: None for those of the index to update, if there is one."""
        if self.started is not None:
            self.started(name)
        before = _stored_options(self.terminology, name) if self.update else {}
        vectors_from = self.older
        if vectors_from is None and self.update:
            vectors_from = self.terminology
        build_retriever(
            self.terminology,
            kind,
            name=name,
            encoder=encoder,
            form=form or before.get("form"),
            reuse_from=None if vectors_from is None else index_path(vectors_from, name),
            glossary=bool(before.get("glossary") if glossary is None else glossary),
            threads=self.threads,
            progress=self.progress,
        )


def _check_vectors(older: Terminology, retrievers: Sequence[str]) -> None:
    """Raise StoreError for an older release that has an index of none of these kinds with vectors."""
    kinds = [name for name in retrievers if has_vectors(name)] or ["dense"]
    if not any(index_kind(older, name) for name in kinds):
        raise StoreError(
            f"{older.path} has no {' or '.join(kinds)} index, so there are no vectors to reuse.",
            Step.BUILD_OLDER_INDEX(terminology=older.path),
        )


def _fitting_form(name: str, form: str | None) -> str | None:
    """The form asked for, if an index of this kind can have it."""
    return form if name != "entities" or form in ENTITY_FORMS else None


def _stored_options(terminology: Terminology, name: str) -> dict[str, Any]:
    """The form and the choice of glossary of the existing index, of any content; {} without a readable one."""
    path = index_path(terminology, name)
    if not path.is_dir():
        return {}
    try:
        fields = artifact.read_manifest(
            path, INDEX_MANIFEST, what="index", rebuild=Step.BUILD_INDEX(terminology=terminology.path)
        )
    except StoreError:
        return {}
    options = fields.get("options", {})
    return {key: options[key] for key, choices in _KEPT.items() if options.get(key) in choices}


def _is_current(
    terminology: Terminology,
    name: str,
    encoder: str | Path | None,
    form: str | None,
    glossary: bool | None,
) -> bool:
    """Whether an index of that name can be opened and is of this encoder, form and choice of glossary; None: of any."""
    try:
        if index_kind(terminology, name) is None:
            return False
        index = open_retriever(terminology, name, encoder=encoder)
    except StoreError:
        return False
    return (form is None or getattr(index, "form", form) == form) and (
        glossary is None or getattr(index, "glossary", glossary) == glossary
    )
