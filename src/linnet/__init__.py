"""linnet maps the names people write for diseases, drugs and phenotypes to concepts of a terminology.

import linnet

linker = linnet.load("medic/")                       # or linnet.starter()
linker.link(["heart attack", "type II diabetes"])    # list[Link]
linker.annotate("Patients with AT developed …")      # Document with linked mentions
linnet.build("desc2026.gz", "mesh/")                 # Terminology: compiled and indexed
linnet.Mapping.open("codes.map/")                    # a column of strings, mapped and reviewed
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` would be the slowest import here
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from collections.abc import Mapping as Fields
    from pathlib import Path
    from typing import Any, Unpack

    from linnet.errors import LinnetError
    from linnet.link import Linker
    from linnet.link.building import BuildOptions
    from linnet.mapping import Mapping
    from linnet.terminology import Terminology
    from linnet.types import Candidate, Concept, Document, Link, Mention

__all__ = [
    "Candidate",
    "Concept",
    "Document",
    "Link",
    "Linker",
    "LinnetError",
    "Mapping",
    "Mention",
    "Terminology",
    "build",
    "load",
    "mention",
    "open_terminology",
    "starter",
]

__version__ = "0.1.0"

_FROM_PIPELINE: Any = type("_FromPipeline", (), {"__repr__": lambda self: "…"})()

# Imported at first use: `import linnet` itself loads nothing.
_LAZY = {
    "Candidate": "linnet.types",
    "Concept": "linnet.types",
    "Document": "linnet.types",
    "Link": "linnet.types",
    "Linker": "linnet.link",
    "LinnetError": "linnet.errors",
    "Mapping": "linnet.mapping",
    "Mention": "linnet.types",
    "Terminology": "linnet.terminology",
}


def load(
    *terminologies: str | Path,
    pipeline: str | Path | Fields[str, Any] | None = None,
    learned: str | Path | None = None,
    overrides: str | Path | None = None,
    retrievers: Sequence[str] = _FROM_PIPELINE,
    encoder: str | None = _FROM_PIPELINE,
    reranker: str | None = _FROM_PIPELINE,
    recogniser: str = _FROM_PIPELINE,
    assertion: bool = _FROM_PIPELINE,
    min_probability: float = _FROM_PIPELINE,
    concept_types: Collection[str] | None = None,
    sources: Collection[str] | None = None,
    allow: Collection[str] | None = None,
    deny: Collection[str] = (),
    threads: int | None = None,
    **fields: Any,
) -> Linker:
    """A linker for compiled terminologies, in order of precedence; "starter" is the small packaged one.

    pipeline         how to link: a name ("default", "accurate", "clinical", "literature", "no-memory"), a TOML file, or a
                     dictionary of fields of `linnet.link.Pipeline`, e.g. {"spelling": False}; see docs/linking.md. If left out,
                     the one in the first terminology's manifest. The options below take precedence over it
    learned          folder of a version of what a project of `linnet annotate` has learnt
    overrides        file of decided links, beside those of the terminologies; see docs/terminologies.md

    Fields of the pipeline, as in the terminology's manifest if left out
    retrievers       indexes to search, most trusted first: ["exact", "dense"]
    encoder          name or folder of the encoder that the dense index, or that of entities, was built with
    reranker         name or folder of the model that reorders the candidates; None: do not rerank
    recogniser       name or folder of the recogniser of mentions: "combined", "dictionary", "recogniser"
    assertion        say of each mention whether it is negated, uncertain, of another person …
    min_probability  less probable links are NIL

    Which concepts to link to
    concept_types    of these semantic types
    sources          from these vocabularies
    allow            with these ids
    deny             without these ids

    threads          for retrieval and reranking, by default all cores; does not change results
    fields           the other fields of `linnet.link.Pipeline`, as in `pipeline`

    Raises StoreError or a subclass if a terminology, index or model cannot be used, UnknownNameError for an unknown option,
    RequestError for options that contradict each other.

    >>> import linnet
    >>> linker = linnet.load("starter", concept_types=["Disease"], threads=1)
    >>> linker.link(["heart attack"])[0].name
    'Myocardial Infarction'
    """
    options = {name: value for name, value in locals().items() if value is not _FROM_PIPELINE}
    from linnet.link.linker_config import LinkerConfig

    return LinkerConfig.of(options.pop("terminologies"), {**options.pop("fields"), **options}).open()


def mention(text: str, left: str = "", right: str = "", *, document: str = "", type: str = "") -> Mention:
    """A name in its context, to link: `linker.link([linnet.mention("AT", "Ataxia telangiectasia (", ")")])`.

    left, right  the text around it
    document     its id; mentions of one document share the abbreviations it defines
    type         of the mention, e.g. "Disease"

    A space is put between a word of the context and one of the mention.
    """
    from linnet.types import Mention

    return Mention.alone(text, left=left, right=right, document=document, type=type)


def starter() -> Linker:
    """A linker for the small packaged terminology, to try linnet before fetching a real one."""
    return load("starter")


def open_terminology(path: str | Path) -> Terminology:
    """Open a compiled terminology, or "starter", to look up concepts. Raises StoreError or a subclass if it cannot be used.

    >>> import linnet
    >>> terminology = linnet.open_terminology("starter")
    >>> terminology["MESH:D003920"].name
    'Diabetes Mellitus'
    >>> "MESH:D003920" in terminology
    True
    >>> terminology.search("diabetes mell")[0].id
    'MESH:D003920'
    """
    from linnet.terminology import Terminology

    if path == "starter":
        from linnet.link.starter import starter_terminology

        path = starter_terminology()
    return Terminology.open(path)


def build(
    sources: str | Path | Sequence[str | Path], out: str | Path, **options: Unpack[BuildOptions]
) -> Terminology:
    """Compile source files into a terminology and index it, as `linnet terminology build` and `linnet index` do; open it.

    sources     files and directories in any format that linnet reads, united by concept id; or one
    out         directory of the terminology: afterwards, `linnet.load(out)` links against it

    Which concepts and names
    concept_types, prefixes   keep concepts of these semantic types, or whose ids have these prefixes
    vocabularies, languages   keep names from these vocabularies, in these languages
    trees, scopes             MeSH trees, OBO synonym scopes to keep
    standard, suppressed      OMOP: only standard concepts; keep what the source marks as obsolete
    permuted, type            add the natural order of inverted names; type of every concept, in place of the source's

    How sources are read
    format      of all sources; detected from their content if left out
    columns     of tables and JSON: {"id": "code", "name": "label", "synonyms": ["alias", 6]}
    header, delimiter, separator, sheet, prefix  layout of tables; prefix of ids that have none
    on_error    "stop" at a malformed row, or "skip" it; skipped rows are counted by the logger "linnet.terminology", which
                also tells what the sources hold that the terminology does not

    How it is indexed
    retrievers  indexes to build and to search by default: ["exact", "dense"] if left out
    encoder     of the dense index; "ngram" if left out. A folder with two towers: of that of entities, in its place
    dense       form of the index of vectors: "flat", "hnsw" or (dense only) "ivf"; by its size if left out
    glossary    whether all indexes, or none, treat words with one meaning as equal; exact look-up alone if left out
    reranker    reorders the candidates by default: "context" if left out, "accurate", a folder, or "none"
    pipeline    also build what this pipeline searches, e.g. "accurate"; the default does not change
    threads     all cores if left out
    overwrite   replace the terminology in `out`; its overrides are kept

    Raises DataError for a source that cannot be read, StoreError where `out` is taken or the disk refuses, UnknownNameError
    for an unknown option, format, index or encoder, RequestError where options do not fit. Messages say what to do. Where
    compiling fails, `out` stays as it was; where indexing fails, `out` is compiled, and `linnet index` goes on.

    >>> import linnet, tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "drugs.csv").write_text("id,name,synonyms\\nD1,aspirin,acetylsalicylic acid\\n")
    >>> terminology = linnet.build(folder / "drugs.csv", folder / "drugs", prefix="ACME", threads=1)
    >>> terminology["ACME:D1"].names
    ('acetylsalicylic acid',)
    >>> linnet.load(folder / "drugs", threads=1).link(["Acetylsalicylic acid"])[0].concept
    'ACME:D1'
    """
    from linnet.link.building import build as build_and_index

    return build_and_index(sources, out, options)


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'linnet' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(globals().keys() | _LAZY.keys())
