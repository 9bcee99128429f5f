from pathlib import Path

import pytest

from linnet.errors import DataError
from linnet.terminology.readers import detect, read

COLUMNS = "DiseaseName\tDiseaseID\tAltDiseaseIDs\tDefinition\tParentIDs\tTreeNumbers\tParentTreeNumbers\tSynonyms\tSlimMappings"
HEADER = f"# CTD\n#\n# Fields:\n# {COLUMNS}\n#\n"
ROW = "Sore Beak\tMESH:D1\tOMIM:5|DO:DOID:6\tA &amp; B.\tMESH:C|MESH:D2\tC1\tC\tBeak Pain|Bill Ache\tPain\n"


def write(folder: Path, text: str) -> Path:
    file = folder / "CTD_diseases.tsv"
    file.write_text(text)
    return file


def test_a_disease_with_its_alternative_ids(tmp_path: Path) -> None:
    file = write(tmp_path, HEADER + ROW)
    assert detect(file) == "ctd"
    disease, retired = read(file)
    assert (disease.id, disease.all_names) == ("MESH:D1", ("Sore Beak", "Beak Pain", "Bill Ache"))
    assert (disease.parents, disease.xrefs, disease.types) == (
        ("MESH:C", "MESH:D2"),
        ("DOID:6",),
        ("Disease",),
    )
    assert disease.definition == "A & B."
    assert (retired.id, retired.replaced_by) == ("OMIM:5", ("MESH:D1",))


def test_a_chemical_with_its_numbers(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        "# Fields:\n# ChemicalName\tChemicalID\tCasRN\tPubChemCID\tDefinition\tParentIDs\tSynonyms\n"
        "seedol\tMESH:C7\t50-78-2\tCID:12\t\t\tseed oil\n",
    )
    (chemical,) = read(file)
    assert (chemical.id, chemical.names, chemical.types) == ("MESH:C7", ("seed oil",), ("Chemical",))
    assert chemical.xrefs == ("CAS:50-78-2", "PUBCHEM:12")


def test_the_csv_edition(tmp_path: Path) -> None:
    file = write(tmp_path, '# Fields:\n# ChemicalName,ChemicalID,Synonyms\n"a, b",MESH:C7,c|d\n')
    assert next(read(file)).all_names == ("a, b", "c", "d")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (HEADER + "x\ty\n", ":6: row has 2 columns; the header has 9"),
        (HEADER + ROW + ROW, ":7: MESH:D1 occurs twice"),
        ("# Fields:\n# GeneName\tGeneID\nx\t1\n", "not a CTD vocabulary"),
        (HEADER, "no concept"),
    ],
)
def test_what_is_malformed_is_named(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(DataError, match=says):
        list(read(write(tmp_path, text), format="ctd"))
