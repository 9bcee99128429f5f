"""Messages for a file whose content proves no format: what it looks like, and the next command."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from linnet.errors import DataError
from linnet.io.file_kinds import Kind, xml_root
from linnet.listing import first_few
from linnet.terminology.readers.column_roles import usual_columns
from linnet.terminology.readers.signatures import Head, is_json

__all__ = ["name_it", "refuse_kind", "refuse_known", "unclear"]

_CONSO = {"cui", "sab", "str"}
_CTD_GENES = (
    "is CTD's table of genes. Type: grep -v '^#' {name} > NEW, and build that with --format table "
    "--columns id=3 name=1 synonyms=2 synonyms=5 --prefix NCBIGENE"
)
_SENTENCE = re.compile(r"\w+ \w+ \w+.*[.!?](?:\s+[A-Z]|\s*$)")
_SHOWN = 12  # columns or fields that a message lists
_NCIT = (
    "is NCIt's Thesaurus.txt, where the first synonym is the preferred name. Give that a column of its own: "
    """awk -F'\\t' 'BEGIN {print "id\\tname\\tsynonyms\\tparents\\tdefinition"} """
    """$1 ~ /^C[0-9]/ {split($4, n, "|"); print $1 "\\t" n[1] "\\t" $4 "\\t" $3 "\\t" $5}' {name} > NEW.tsv, """
    "and build that with --prefix NCIT"
)
# Lower-cased columns or fields that identify a file → what it is, and the next step.
_KNOWN = (
    ({"concept_id", "concept_name", "vocabulary_id"},
     "is OMOP's table of concepts under another name. Rename it to CONCEPT.csv and give its folder."),
    ({"concept_id", "concept_synonym_name"}, "is OMOP's CONCEPT_SYNONYM.csv. Give the folder that holds CONCEPT.csv, too."),
    ({"concept_id_1", "concept_id_2"}, "is OMOP's CONCEPT_RELATIONSHIP.csv. Give the folder that holds CONCEPT.csv, too."),
    ({"subject_id", "predicate_id", "object_id"},
     "is a file of mappings (SSSOM). To join terminologies with it: linnet terminology merge DIR DIR -o OUT --map {name}"),
    ({"diseasename", "diseaseid", "parentids"},
     "is a table of CTD without its `# Fields:` lines. Type: --format table --columns id=DiseaseID name=DiseaseName "
     "synonyms=Synonyms definition=Definition parents=ParentIDs --prefix MESH"),
    ({"chemicalname", "chemicalid", "parentids"},
     "is a table of CTD without its `# Fields:` lines. Type: --format table --columns id=ChemicalID name=ChemicalName "
     "synonyms=Synonyms definition=Definition parents=ParentIDs --prefix MESH"),
    ({"compound_id", "name", "adapted"},
     "is ChEBI's table of names, which numbers its rows. Take ChEBI as OBO (chebi.obo), which has the names of each compound."),
    ({"code", "concept iri", "display name", "synonyms"}, _NCIT),
    ({"_embedded", "page"},
     "is a page of OLS. Take out its terms: jq -c '._embedded.terms[]' {name} > NEW.jsonl, and build that with "
     "--format jsonl --columns id=obo_id name=label"),
    ({"response", "responseheader"},
     "is an answer of OLS's search. Take out its terms: jq -c '.response.docs[]' {name} > NEW.jsonl, and build that with "
     "--format jsonl --columns id=obo_id name=label"),
    ({"numberverification"}, "is a network (CX), which holds no terminology. Export its nodes as a table."),
    ({"cxversion"}, "is a network (CX2), which holds no terminology. Export its nodes as a table."),
    ({"@graph"}, "is JSON-LD, which linnet does not read. Convert it with ROBOT: robot convert --input {name} --output {stem}.obo"),
    ({"@context"}, "is JSON-LD, which linnet does not read. Convert it with ROBOT: robot convert --input {name} --output {stem}.obo"),
    ({"nodes", "edges"}, "is a graph in JSON, but not OBO Graphs. Take out its nodes: jq -c '.nodes[]' {name} > {stem}.jsonl"),
)  # fmt: skip
# First line of one file of a release, or of a file without its header → what it is, and the next step.
_UMLS_FILE = "is UMLS's {}. Give the folder that holds MRCONSO.RRF, too."
_FIRST_LINES = tuple(
    (re.compile(row), message)
    for row, message in (
        (r"C\d{7}\|T\d{3}\|", _UMLS_FILE.format("MRSTY.RRF")),
        (r"C\d{7}\|[^|]*\|(?:CUI|AUI|SCUI|SDUI)\|[A-Z]{2,3}\|", _UMLS_FILE.format("MRREL.RRF")),
        (r"C\d{7}\|A\d+\|AT\d+\|", _UMLS_FILE.format("MRDEF.RRF")),
        (r"C\d+\t<https?://[^>\t]+>\t", _NCIT),
        (r"\d{8}\$", "is one file of MedDRA. Give the folder of its .asc files (llt.asc, pt.asc …)."),
        (
            r"\d+\t\d+\t(?:[^\t]*\t){13}[^\t]*$",
            "looks like NCBI's gene_info without its first line. Put back the line that begins with '#tax_id'.",
        ),
        (
            r"[A-Z]\d[0-9A-Z]{1,5} {1,6}\S",
            "looks like ICD-10-CM's list of billable codes. Take the order file of the same release "
            "(icd10cm-order-….txt), which has all codes.",
        ),
    )
)
# A terminology has at most one of these fields.
_ANNOTATED = frozenset({
    "text", "mentions", "entities", "spans", "denotations", "annotations", "passages", "documents", "label", "left", "right",
    "document", "tokens", "tracks", "sourcedb", "candidates",
})  # fmt: skip


def name_it() -> str:
    """The advice to name a format, with all choices."""
    from linnet.terminology.readers.registry import readers

    return f"Name it: --format {'|'.join(readers)}"


def refuse_kind(path: Path, kind: Kind | None) -> None:
    """Raise DataError for a kind of file that cannot be a terminology."""
    if kind is not None and (kind.binary or kind.terminology_advice):
        advice = _filled(kind.terminology_advice or kind.advice, path)
        raise DataError(f"is {kind.name}, which linnet does not read as a terminology. {advice}", path=path)


def _filled(message: str, path: Path) -> str:
    stem = path.name.removesuffix(path.suffix)
    return message.replace("{name}", path.name).replace("{stem}", stem)


def refuse_known(head: Head, path: Path) -> None:
    """Raise DataError for a known file, recognised by its columns or fields, that cannot be read as it is."""
    cells = head.header[0].split("|") if len(head.header) == 1 else head.header
    seen = {name.lower() for name in (head.fields or cells)}
    if seen >= _CONSO and not head.fields:
        raise DataError(_conso(cells, head, path), path=path)
    if re.search(r"^# ?GeneSymbol[\t,]", head.text, re.MULTILINE):
        raise DataError(_filled(_CTD_GENES, path), path=path)
    for columns, message in _KNOWN:
        if columns <= seen:
            raise DataError(_filled(message, path), path=path)


def _conso(cells: Sequence[str], head: Head, path: Path) -> str:
    """The next command for an MRCONSO with a header, as exported from a database."""
    what = "is UMLS's MRCONSO with a line of column names."
    if len(cells) not in (18, 19):
        return (
            f"{what} It lacks the columns for language and preferred name. To read all its rows as names of "
            "equal rank: --format table --columns id=CUI name=STR --prefix UMLS"
        )
    if len(head.header) == 1:
        return f"{what} Remove that line: tail -n +2 {path.name} > NEW.rrf"
    tab = ", delimiter='\\t'" if "\t" in head.lines[0] else ""
    return (
        f"{what} Convert it to UMLS's format: python3 -c \"import csv; rows = csv.reader(open('{path.name}', encoding='utf-8')"
        f"{tab}); next(rows); [print('|'.join(row)) for row in rows]\" > NEW.rrf"
    )


def unclear(head: Head, path: Path) -> DataError:
    """The error for a text whose beginning fits no format."""
    if is_json(head) or re.match(r"\s*[\[{]", head.text):
        return DataError(_json(head, path.name), path=path)
    if head.text.lstrip().startswith("<") and re.search(r"</|/>", head.text):
        root = xml_root(head.text)
        return DataError(
            f"is XML with the root element <{root or '?'}>; linnet reads MeSH and ICD-10-CM from XML. "
            "Convert it to a table with the columns id, name, synonyms.",
            path=path,
        )
    return DataError(_filled(_text(head), path), path=path)


def _json(head: Head, name: str) -> str:
    fields = list(head.fields)
    if not fields:
        return (
            "is JSON, but neither objects nor an array of objects. Expected one object per line: "
            '{"id": "X:1", "name": "gout", "synonyms": ["podagra"]}'
        )
    listed = _listed(fields)
    if len(_ANNOTATED & head.fields.keys()) > 1:
        return (
            f"looks like annotated text (fields: {listed}), not like a terminology. `linnet link` and `linnet evaluate` "
            "read text; if it is a terminology, name its fields: --format jsonl --columns id=FIELD name=FIELD"
        )
    if all(re.search(r"\d", field) for field in fields) and set(head.fields.values()) != {"{"}:
        what = "names" if "[" in head.fields.values() else "name"
        return (
            f"is one JSON object whose fields look like ids: {listed}. Make each a concept: "
            f"jq -c 'to_entries[] | {{id: .key, {what}: .value}}' {name} > NEW.jsonl"
        )
    lists = [field for field, value in head.fields.items() if value == "["]
    inner = ""
    if len(lists) == 1 and not head.text.lstrip().startswith("["):
        unpacked = f"gzip -dc {name} | jq" if name.endswith(".gz") else "jq"
        source = "" if name.endswith(".gz") else f" {name}"
        inner = f" If the concepts are in '{lists[0]}', extract them: {unpacked} -c '.{lists[0]}[]'{source} > NEW.jsonl"
    return (
        f"is JSON of no known kind; fields of the first object: {listed}. Name those with ids and names: "
        f"--format jsonl --columns id=FIELD name=FIELD.{inner}"
    )


def _text(head: Head) -> str:
    if not head.lines:
        return f"the first lines show no format. {name_it()}"
    first = head.lines[0]
    for row, message in _FIRST_LINES:
        if row.match(first):
            return message
    bars = first.count("|")
    if "||" in first and not first.startswith("#"):
        return (
            f"has rows with `||`, but its first lines are not all `id||name|synonym…`: '{_short(first)}'. Use that layout "
            "(an id holds a digit), or make it a tab-separated table with the columns id, name, synonyms."
        )
    if bars and not any(mark in first for mark in "\t;"):
        cells = [cell.strip() for cell in first.split("|")]
        usual = usual_columns(cells)
        roles = (
            [f"{role}={shlex.quote(cells[place])}" for role, place in usual.items()] if len(usual) > 1 else []
        )
        columns = " ".join(roles) or "id=COLUMN name=COLUMN (without a header by number, e.g. id=1 name=2)"
        return (
            f"has rows of {bars + 1} columns separated by '|': '{_short(first)}'. If it is a table: "
            f"--format table --delimiter '|' --columns {columns}"
        )
    if "\t" not in first and _SENTENCE.search(first):
        return (
            f"looks like running text: '{_short(first)}'. A terminology holds ids and names; `linnet link` and "
            "`linnet evaluate` read text."
        )
    if len(head.header) > 1 and len(first) < 2000:
        names = _listed([cell or "(empty)" for cell in head.header])
        text_alone = {"id", "text"} <= {cell.lower() for cell in head.header}
        why = "may hold names or documents" if text_alone else "shows no format by its first line"
        return (
            f"{why}; columns: {names}. If it is a table, name the columns of ids and names: --format table "
            f"--columns {_likely(head.header) or 'id=COLUMN name=COLUMN'} (without a header by number, e.g. id=1 name=2). "
            "`linnet terminology build --help` lists the other formats."
        )
    if len(head.header) == 1 and len(first) < 200 and "|" not in first:
        return (
            f"each line holds one value, e.g. '{_short(first)}'; a terminology has an id and a name per line. "
            f"Write a table with the columns id and name, or name the format: {name_it().removeprefix('Name it: ')}"
        )
    return f"the first lines show no format: '{_short(first)}'. {name_it()}"


def _likely(header: Sequence[str]) -> str:
    """The columns that probably hold ids and names, judged by the ends of their names, for `--columns`; "" for none."""
    id = next(
        (cell for cell in header if re.search(r"(?:id|code|cui|unii|[iu]ri)$", cell, re.IGNORECASE)), ""
    )
    name = next((cell for cell in header if re.search(r"(?:name|label|term)$", cell, re.IGNORECASE)), "")
    return f"id={shlex.quote(id)} name={shlex.quote(name)}" if id and name else ""


def _listed(names: list[str]) -> str:
    return first_few(list(map(_short, names)), _SHOWN)


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}…"
