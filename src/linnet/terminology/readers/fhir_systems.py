"""CURIE prefixes of code systems, which FHIR names by URI.

>>> known_prefix("http://snomed.info/sct")
'SNOMEDCT'
>>> known_prefix("http://snomed.info/sct/731000124108/version/20240301")
'SNOMEDCT'
>>> known_prefix("https://hospital.example/fhir/CodeSystem/wards")
''
>>> last_part("https://hospital.example/fhir/CodeSystem/wards|2.1")
'wards'
"""

from __future__ import annotations

import re

__all__ = ["known_prefix", "last_part", "system_of"]

# Source: HL7 Terminology (THO), "External code systems", and the OIDs it lists beside them. Without scheme and "www.".
_SYSTEMS = {
    "snomed.info/sct": "SNOMEDCT",
    "loinc.org": "LOINC",
    "nlm.nih.gov/research/umls/rxnorm": "RXNORM",
    "hl7.org/fhir/sid/icd-10": "ICD10",
    "hl7.org/fhir/sid/icd-10-cm": "ICD10CM",
    "cms.gov/medicare/coding/icd10": "ICD10PCS",
    "hl7.org/fhir/sid/icd-10-pcs": "ICD10PCS",
    "hl7.org/fhir/sid/icd-9-cm": "ICD9CM",
    "fhir.de/codesystem/bfarm/icd-10-gm": "ICD10GM",
    "id.who.int/icd/release/11/mms": "ICD11",
    "human-phenotype-ontology.org": "HP",
    "purl.obolibrary.org/obo/hp.owl": "HP",
    "purl.obolibrary.org/obo/hp.fhir": "HP",
    "purl.obolibrary.org/obo/mondo.owl": "MONDO",
    "purl.obolibrary.org/obo/mondo.fhir": "MONDO",
    "unitsofmeasure.org": "UCUM",
    "fdasis.nlm.nih.gov": "UNII",
    "whocc.no/atc": "ATC",
    "genenames.org": "HGNC",
    "genenames.org/geneid": "HGNC",
    "orpha.net": "ORPHA",
    "omim.org": "OMIM",
    "ncicb.nci.nih.gov/xml/owl/evs/thesaurus.owl": "NCIT",
    "meddra.org": "MEDDRA",
    "terminology.hl7.org/codesystem/mdr": "MEDDRA",
    "terminology.hl7.org/codesystem/msh": "MESH",
    "id.nlm.nih.gov/mesh": "MESH",
    "terminology.hl7.org/codesystem/umls": "UMLS",
    "hl7.org/fhir/sid/ndc": "NDC",
    "hl7.org/fhir/sid/cvx": "CVX",
    "ama-assn.org/go/cpt": "CPT",
    "urn:oid:2.16.840.1.113883.6.96": "SNOMEDCT",
    "urn:oid:2.16.840.1.113883.6.1": "LOINC",
    "urn:oid:2.16.840.1.113883.6.88": "RXNORM",
    "urn:oid:2.16.840.1.113883.6.3": "ICD10",
    "urn:oid:2.16.840.1.113883.6.90": "ICD10CM",
    "urn:oid:2.16.840.1.113883.6.4": "ICD10PCS",
    "urn:oid:2.16.840.1.113883.6.103": "ICD9CM",
    "urn:oid:2.16.840.1.113883.6.8": "UCUM",
    "urn:oid:2.16.840.1.113883.6.73": "ATC",
    "urn:oid:2.16.840.1.113883.4.9": "UNII",
    "urn:oid:2.16.840.1.113883.6.177": "MESH",
    "urn:oid:2.16.840.1.113883.6.163": "MEDDRA",
}
# How a system is named where a map is written.
_NAMED = {
    "ATC": "http://www.whocc.no/atc",
    "HGNC": "http://www.genenames.org",
    "HP": "http://human-phenotype-ontology.org",
    "ICD10": "http://hl7.org/fhir/sid/icd-10",
    "ICD10CM": "http://hl7.org/fhir/sid/icd-10-cm",
    "LOINC": "http://loinc.org",
    "MEDDRA": "https://www.meddra.org",
    "MESH": "http://terminology.hl7.org/CodeSystem/MSH",
    "MONDO": "http://purl.obolibrary.org/obo/mondo.owl",
    "NCIT": "http://ncicb.nci.nih.gov/xml/owl/EVS/Thesaurus.owl",
    "OMIM": "http://www.omim.org",
    "ORPHA": "http://www.orpha.net",
    "RXNORM": "http://www.nlm.nih.gov/research/umls/rxnorm",
    "SNOMEDCT": "http://snomed.info/sct",
    "UMLS": "http://terminology.hl7.org/CodeSystem/umls",
    "UNII": "http://fdasis.nlm.nih.gov",
}
_SCHEME = re.compile(r"^https?://(?:www\.)?")


def known_prefix(system: str) -> str:
    """The prefix of a system's URI, with or without a version; "" for an unknown system."""
    plain = _SCHEME.sub("", system.partition("|")[0].strip().rstrip("/").lower())
    # SNOMED CT appends the edition to its URI, ICD-11 the release.
    if plain.startswith("snomed.info/sct/"):
        return "SNOMEDCT"
    if re.fullmatch(r"id\.who\.int/icd/release/11/[\w-]+/mms", plain):
        return "ICD11"
    return _SYSTEMS.get(plain, "")


def last_part(system: str) -> str:
    """The last part of a URI, without the version and characters that a CURIE prefix cannot have."""
    return re.sub(r"[^\w.-]", "", re.split(r"[/:#]", system.partition("|")[0].rstrip("/#"))[-1])


def system_of(prefix: str) -> str:
    """The URI by which FHIR names the system of a CURIE prefix; "" for an unknown one.

    >>> system_of("SNOMEDCT"), known_prefix(system_of("MESH"))
    ('http://snomed.info/sct', 'MESH')
    """
    return _NAMED.get(prefix, "")
