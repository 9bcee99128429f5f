import gzip
from pathlib import Path

import pytest

from linnet.errors import DataError, RequestError
from linnet.terminology.readers import ReadOptions, read


def term(name: str, *, preferred: bool = False, permuted: bool = False) -> str:
    yes = {True: "Y", False: "N"}
    return (
        f'<Term ConceptPreferredTermYN="N" IsPermutedTermYN="{yes[permuted]}" '
        f'RecordPreferredTermYN="{yes[preferred]}"><TermUI>T</TermUI><String>{name}</String></Term>'
    )


def descriptor(id: str, name: str, trees: str, terms: str = "", other: str = "", extra: str = "") -> str:
    numbers = "".join(f"<TreeNumber>{tree}</TreeNumber>" for tree in trees.split())
    return (
        f'<DescriptorRecord DescriptorClass="1"><DescriptorUI>{id}</DescriptorUI>'
        f"<DescriptorName><String>{name}</String></DescriptorName><TreeNumberList>{numbers}</TreeNumberList>"
        f'<ConceptList><Concept PreferredConceptYN="Y">{extra}<TermList>{term(name, preferred=True)}{terms}</TermList>'
        f'</Concept><Concept PreferredConceptYN="N"><TermList>{other}</TermList></Concept></ConceptList>'
        "</DescriptorRecord>"
    )


def supplement(id: str, name: str, kind: str, heading: str) -> str:
    return (
        f'<SupplementalRecord SCRClass="{kind}"><SupplementalRecordUI>{id}</SupplementalRecordUI>'
        f"<SupplementalRecordName><String>{name}</String></SupplementalRecordName><Note>A note.</Note>"
        "<HeadingMappedToList><HeadingMappedTo><DescriptorReferredTo>"
        f"<DescriptorUI>*{heading}</DescriptorUI></DescriptorReferredTo></HeadingMappedTo></HeadingMappedToList>"
        f'<ConceptList><Concept PreferredConceptYN="Y"><TermList>{term(name, preferred=True)}</TermList></Concept>'
        "</ConceptList></SupplementalRecord>"
    )


DESCRIPTORS = (
    '<?xml version="1.0"?>\n'
    '<!DOCTYPE DescriptorRecordSet SYSTEM "https://nowhere.invalid/x.dtd">\n'
    '<DescriptorRecordSet LanguageCode="eng">\n'
    + descriptor(
        "D1",
        "Beak, Acute",
        "C01.100.200 F03.100",
        terms=term("Acute Beak") + term("Acute Beak, The", permuted=True),
        other=term("Sore bill"),
        extra="<RegistryNumber>50-78-2</RegistryNumber><ScopeNote>A pain\n of birds.</ScopeNote>",
    )
    + "\n"
    + descriptor("D2", "Bird Diseases", "C01.100")
    + descriptor("D3", "Seed", "D02.1")
    + "\n</DescriptorRecordSet>\n"
)
SUPPLEMENTS = (
    '<?xml version="1.0"?><SupplementalRecordSet LanguageCode="eng">'
    + supplement("C1", "Finch syndrome", "3", "D2")
    + supplement("C2", "seedol", "1", "D3")
    + "</SupplementalRecordSet>"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "desc2099.xml").write_text(DESCRIPTORS)
    (tmp_path / "supp2099.xml.gz").write_bytes(gzip.compress(SUPPLEMENTS.encode()))
    return tmp_path


def test_a_descriptor_has_names_types_parents_and_note(folder: Path) -> None:
    first, second, third = read(folder / "desc2099.xml")
    assert (first.id, first.name) == ("MESH:D1", "Beak, Acute")
    assert first.names == ("Acute Beak", "Sore bill", "Acute Beak, The")  # permuted ones last
    assert first.types == ("Disease",)
    assert first.parents == ("MESH:D2",)  # which comes later in the file
    assert first.definition == "A pain of birds."
    assert first.xrefs == ("CAS:50-78-2",)
    assert (second.parents, third.types) == ((), ("Chemical",))


@pytest.mark.parametrize(
    ("trees", "types"),
    [
        ("D12.776.1", ("Protein",)),
        ("D12.644.276.1 D12.776.467.1 D23.529", ("Protein",)),  # a cytokine
        ("D08.811.277", ("Protein",)),  # an enzyme
        ("D08.211.90", ("Chemical",)),  # a coenzyme
        ("D06.472.1 D12.644.548.1", ("Chemical",)),
        ("D12.644.456.1 D12.776.631", ("Chemical", "Protein")),  # a peptide
        ("D10.532.1 D12.776.521", ("Chemical", "Protein")),  # a lipoprotein
        ("D12.776.1 C01.1", ("Disease", "Protein")),
        ("D12.125.1", ("Chemical",)),  # an amino acid
    ],
)
def test_proteins_are_a_type_of_their_own(tmp_path: Path, trees: str, types: tuple[str, ...]) -> None:
    file = tmp_path / "desc2099.xml"
    file.write_text(f"<DescriptorRecordSet>{descriptor('D9', 'Beakin', trees)}</DescriptorRecordSet>")
    (concept,) = read(file)
    assert concept.types == types
    kept = read(file, options=ReadOptions(trees={"D"}))  # trees are what they were
    assert [c.id for c in kept] == ["MESH:D9"]


def test_a_supplementary_protein_is_known_by_its_name(tmp_path: Path) -> None:
    file = tmp_path / "supp2099.xml"
    records = supplement("C8", "BEAK1 protein, human", "1", "D3") + supplement(
        "C9", "protein milk", "1", "D3"
    )
    file.write_text(f"<SupplementalRecordSet>{records}</SupplementalRecordSet>")
    assert [concept.types for concept in read(file)] == [("Protein",), ("Chemical",)]


def test_a_supplementary_record_has_a_type_by_class_and_its_headings_as_parents(folder: Path) -> None:
    disease, chemical = read(folder / "supp2099.xml.gz")
    assert (disease.types, disease.parents, disease.definition) == (("Disease",), ("MESH:D2",), "A note.")
    assert chemical.types == ("Chemical",)


def test_a_directory_is_read_whole_and_trees_of_headings_count(folder: Path) -> None:
    assert [c.id for c in read(folder)] == ["MESH:D1", "MESH:D2", "MESH:D3", "MESH:C1", "MESH:C2"]
    kept = read(folder, options=ReadOptions(trees={"C01.100"}))
    assert [c.id for c in kept] == ["MESH:D1", "MESH:D2", "MESH:C1"]
    mental = read(folder, options=ReadOptions(trees={"F03"}))
    assert [c.id for c in mental] == ["MESH:D1"]
    alone = read(folder / "supp2099.xml.gz", options=ReadOptions(trees={"C"}))
    assert [c.id for c in alone] == ["MESH:C1"]


def test_types_filter_without_case(folder: Path) -> None:
    assert [c.id for c in read(folder, options=ReadOptions(types={"chemical"}))] == ["MESH:D3", "MESH:C2"]


def test_a_tree_that_is_none_is_refused(folder: Path) -> None:
    with pytest.raises(RequestError, match=r"'Disease' is not a MeSH tree number"):
        list(read(folder, options=ReadOptions(trees={"Disease"})))


def test_xml_that_is_cut_off_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "desc.xml"
    file.write_text(DESCRIPTORS[:-60])
    with pytest.raises(DataError, match=r"desc\.xml:\d+: not well-formed XML, or cut off"):
        list(read(file))


def test_a_truncated_gzip_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "desc.xml.gz"
    file.write_bytes(gzip.compress(DESCRIPTORS.encode())[:-20])
    with pytest.raises(DataError, match="truncated or damaged"):
        list(read(file, format="mesh"))


def test_an_id_that_comes_twice_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "desc.xml"
    record = descriptor("D1", "Once", "C01")
    file.write_text(f"<DescriptorRecordSet>\n{record}\n{record}</DescriptorRecordSet>")
    with pytest.raises(DataError, match=r"desc\.xml:3: MESH:D1 occurs twice"):
        list(read(file))


def test_external_entities_are_not_fetched(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("leaked")
    file = tmp_path / "desc.xml"
    entity = f'<!DOCTYPE DescriptorRecordSet [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
    file.write_text(f"{entity}<DescriptorRecordSet>{descriptor('D1', 'a&x;b', 'C01')}</DescriptorRecordSet>")
    with pytest.raises(DataError, match="outside the file"):
        list(read(file))


@pytest.mark.parametrize("names", [("&alpha;-Thalassemia", ""), ("Thalassemia", term("&alpha;-Thalassemia"))])
def test_an_undeclared_entity_is_refused_and_cuts_no_name(tmp_path: Path, names: tuple[str, str]) -> None:
    file = tmp_path / "desc.xml"
    records = descriptor("D000001", names[0], "C01", names[1])
    doctype = '<!DOCTYPE DescriptorRecordSet SYSTEM "desc.dtd">\n'
    file.write_text(f"{doctype}<DescriptorRecordSet>\n{records}</DescriptorRecordSet>")
    with pytest.raises(DataError, match=r"desc\.xml:3: the entity &alpha; is not declared"):
        list(read(file))


def test_an_entity_that_the_file_declares_is_its_text(tmp_path: Path) -> None:
    file = tmp_path / "desc.xml"
    records = descriptor("D000001", "&alpha;-Thalassemia", "C01", term("Thalassemia, &alpha; type"))
    doctype = '<!DOCTYPE DescriptorRecordSet [<!ENTITY alpha "α">]>'
    file.write_text(f"{doctype}<DescriptorRecordSet>{records}</DescriptorRecordSet>")
    (concept,) = read(file)
    assert concept.all_names == ("α-Thalassemia", "Thalassemia, α type")


@pytest.mark.data
def test_the_descriptors_and_supplementary_records_of_2024(data: Path) -> None:
    concepts = list(read(data / "terminologies/mesh2024/desc2024.rebuilt.xml.gz"))
    assert len(concepts) == 30_764
    assert sum(len(c.all_names) for c in concepts) == 263_931
    by_id = {c.id: c for c in concepts}
    assert by_id["MESH:D003920"].name == "Diabetes Mellitus"
    assert "MESH:D003920" in by_id["MESH:D003924"].parents
    assert by_id["MESH:D003866"].types == ("Disease",)  # depression: F03
    assert len(list(read(data / "terminologies/mesh2024/supp2024.rebuilt.xml.gz"))) == 43_755
