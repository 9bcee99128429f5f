"""Write `src/linnet/words/prefixes.tsv` from Bioregistry: how vocabularies are spelt in ids, and the addresses of their ids.

    pip download --no-deps bioregistry && unzip bioregistry-*.whl
    python tools/prefixes.py bioregistry/data/bioregistry.json

Source: Hoyt et al. 2022, "Unifying the identification of biomedical entities with the Bioregistry". Its data is CC0.
Included are the ontologies of the OBO Foundry and the vocabularies of `_OTHERS`.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from linnet.words.curies import SPELLINGS, VERSIONED, spelling_key

# Bioregistry's prefix → linnet's. Vocabularies whose ids share one number space share a prefix.
_OTHERS = {
    "atc": "ATC", "cas": "CAS", "cellosaurus": "CVCL", "chembl": "CHEMBL", "chembl.compound": "CHEMBL",
    "chembl.target": "CHEMBL", "clinvar": "CLINVAR", "cpt": "CPT", "dbsnp": "DBSNP",
    "drugbank": "DRUGBANK", "dsstox.substance": "DSSTOX", "ec": "EC", "efo": "EFO", "ensembl": "ENSEMBL",
    "flybase": "FLYBASE", "gard": "GARD", "hgnc": "HGNC", "hgvs": "HGVS", "hmdb": "HMDB", "icd10": "ICD10",
    "icd10cm": "ICD10CM", "icd10pcs": "ICD10PCS", "icd11": "ICD11", "icd9": "ICD9", "icd9cm": "ICD9CM",
    "icdo": "ICDO", "inchikey": "INCHIKEY", "interpro": "INTERPRO", "iuphar.ligand": "IUPHAR", "kegg": "KEGG",
    "kegg.compound": "KEGG", "kegg.disease": "KEGG", "kegg.drug": "KEGG", "kegg.glycan": "KEGG",
    "kegg.orthology": "KEGG", "kegg.pathway": "KEGG", "kegg.reaction": "KEGG",
    "lipidmaps": "LIPIDMAPS", "loinc": "LOINC", "meddra": "MEDDRA", "medgen": "MEDGEN", "mesh": "MESH",
    "mgi": "MGI", "mirbase": "MIRBASE", "ncbigene": "NCBIGENE", "ncbitaxon": "NCBITAXON", "ncit": "NCIT",
    "ndfrt": "NDFRT", "omim": "OMIM", "omim.ps": "OMIMPS", "orphanet": "ORPHA", "orphanet.ordo": "ORPHA",
    "pfam": "PFAM", "pharmgkb.disease": "PHARMGKB", "pharmgkb.drug": "PHARMGKB", "pharmgkb.gene": "PHARMGKB",
    "pubchem.compound": "PUBCHEM.COMPOUND", "pubchem.substance": "PUBCHEM.SUBSTANCE",
    "reactome": "REACTOME", "refseq": "REFSEQ", "rgd": "RGD", "rxnorm": "RXNORM", "sgd": "SGD",
    "snomedct": "SNOMEDCT", "umls": "UMLS", "unii": "UNII", "uniprot": "UNIPROT", "vandf": "VANDF",
    "wikidata": "WIKIDATA", "wikipathways": "WIKIPATHWAYS", "wormbase": "WORMBASE", "zfin": "ZFIN",
}  # fmt: skip
# Addresses that Bioregistry does not have, FHIR's among them.
_ADDRESSES = {
    "snomed.info/sct/": "SNOMEDCT", "loinc.org/": "LOINC", "hl7.org/fhir/sid/icd-10-cm/": "ICD10CM",
    "hl7.org/fhir/sid/icd-10/": "ICD10", "hl7.org/fhir/sid/icd-9-cm/": "ICD9CM", "id.who.int/icd/entity/": "ICD11",
    "www.nlm.nih.gov/research/umls/rxnorm/": "RXNORM", "omim.org/entry/": "OMIM", "www.omim.org/entry/": "OMIM",
    "www.ncbi.nlm.nih.gov/gene/": "NCBIGENE", "id.nlm.nih.gov/mesh/": "MESH", "www.ncbi.nlm.nih.gov/mesh/": "MESH",
    "purl.bioontology.org/ontology/HPO/": "HP", "purl.bioontology.org/ontology/MDR/": "MEDDRA",
    "purl.bioontology.org/ontology/LNC/": "LOINC", "purl.bioontology.org/ontology/ATC/": "ATC",
    "ncicb.nci.nih.gov/xml/owl/EVS/Thesaurus.owl#": "NCIT",
}  # fmt: skip
_OBO = re.compile(r"^https?://purl\.obolibrary\.org/obo/([A-Za-z]\w*)_\$1$")
# Synonyms of Bioregistry that mean several vocabularies, or something else in annotated text.
_AMBIGUOUS = frozenset(
    {"icd", "cl1", "id", "obo", "term", "species", "pubchem", "gene", "disease", "chemical", "ps", "re", "up"}
)
# Synonyms of Bioregistry under which other identifiers go, too.
_WRONG = frozenset({"dsstoxcid", "dsstoxgenericsid", "pubchemid"})


def main() -> None:
    """Read Bioregistry's JSON, write the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("registry", type=Path, help="bioregistry.json of the package bioregistry")
    parser.add_argument("-o", "--output", type=Path, default=Path("src/linnet/words/prefixes.tsv"))
    given = parser.parse_args()
    registry = json.loads(given.registry.read_text(encoding="utf-8"))
    given.output.write_text("".join(f"{line}\n" for line in table(registry)), encoding="utf-8")


def table(registry: dict[str, Any]) -> Iterator[str]:
    """The lines of the table, sorted by prefix."""
    spellings: dict[str, set[str]] = defaultdict(set)  # spelling → prefixes
    addresses: dict[str, set[str]] = defaultdict(set)  # address → prefixes
    own: dict[str, str] = {}  # spelling → prefix it is Bioregistry's own name of
    for name, record in registry.items():
        prefix = _OTHERS.get(name) or _foundry_prefix(record)
        if prefix is None or (record.get("deprecated") and name not in _OTHERS):
            continue
        own.setdefault(spelling_key(name), prefix)
        for written in (name, prefix, *record.get("synonyms", ())):
            if not VERSIONED.match(written) and spelling_key(written) not in _AMBIGUOUS | _WRONG:
                spellings[spelling_key(written)].add(prefix)
        for address in _addresses(record):
            addresses[address].add(prefix)
    for address, prefix in _ADDRESSES.items():
        addresses[address] = {prefix}
    rows: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for written, prefixes in spellings.items():
        known = SPELLINGS.get(written) or own.get(written) or (min(prefixes) if len(prefixes) == 1 else None)
        if known in prefixes:  # what means several vocabularies is left out
            rows[known][0].append(written)
    for address, prefixes in addresses.items():
        if len(prefixes) == 1:
            rows[min(prefixes)][1].append(address)
    yield "# Made by tools/prefixes.py from Bioregistry (https://bioregistry.io), whose data is CC0. Do not edit."
    yield "prefix\tspellings\taddresses"
    for prefix, (written, urls) in sorted(rows.items()):
        yield f"{prefix}\t{'|'.join(sorted(written))}\t{'|'.join(sorted(urls))}"


def _foundry_prefix(record: dict[str, Any]) -> str | None:
    """The prefix of an ontology of the OBO Foundry."""
    foundry = record.get("obofoundry")
    if not foundry:
        return None
    # Its addresses show the capitals that its ids are written with (FBbt).
    address = _OBO.match(record.get("uri_format") or "")
    written = record.get("preferred_prefix") or (address[1] if address else foundry["prefix"].upper())
    return str(SPELLINGS.get(spelling_key(written), written.rpartition(".")[2]))


def _addresses(record: dict[str, Any]) -> Iterator[str]:
    """What comes before the id in the vocabulary's addresses, without scheme; generic rules read OBO PURLs."""
    formats = [record.get("uri_format"), record.get("rdf_uri_format")]
    formats += [provider.get("uri_format") for provider in record.get("providers", ())]
    for written in formats:
        if written and written.endswith("$1") and "purl.obolibrary.org" not in written:
            yield written.removesuffix("$1").partition("://")[2]


if __name__ == "__main__":
    main()
