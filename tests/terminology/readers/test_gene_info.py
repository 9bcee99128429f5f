from pathlib import Path

import pytest

from linnet.errors import DataError
from linnet.terminology.readers import detect, read

COLUMNS = [
    "tax_id", "GeneID", "Symbol", "LocusTag", "Synonyms", "dbXrefs", "chromosome", "map_location", "description",
    "type_of_gene", "Symbol_from_nomenclature_authority", "Full_name_from_nomenclature_authority",
    "Nomenclature_status", "Other_designations", "Modification_date",
]  # fmt: skip
OLD = "#Format: " + " ".join(COLUMNS) + " (tab is used as a separator, pound sign - start of a comment)\n"
NEW = "#" + "\t".join(COLUMNS) + "\n"
ROW = "9\t7\tBEAK1\t-\tBK|BK1\tMIM:1|HGNC:HGNC:5\t1\t1q\tbeak protein\tprotein-coding\tBEAK1\tbeak 1\tO\tbill 1|-\t2099\n"


@pytest.mark.parametrize("header", [OLD, NEW])
def test_a_gene_has_all_its_names(tmp_path: Path, header: str) -> None:
    file = tmp_path / "gene_info"
    file.write_text(header + ROW + "9\t8\tNEWENTRY" + "\t-" * 12 + "\n")
    assert detect(file) == "gene_info"
    (gene,) = read(file)
    assert (gene.id, gene.name, gene.types) == ("NCBIGENE:7", "BEAK1", ("protein-coding",))
    assert gene.names[:4] == ("beak 1", "BK", "BK1", "beak protein")
    assert gene.xrefs == ("OMIM:1", "HGNC:5")


def test_locus_tag_and_official_symbol_are_names(tmp_path: Path) -> None:
    file = tmp_path / "gene_info"
    file.write_text(NEW + ROW.replace("BEAK1\t-", "BEAK1\tBYR1W").replace("coding\tBEAK1", "coding\tBEK1"))
    (gene,) = read(file)
    assert gene.names[:5] == ("BEK1", "beak 1", "BK", "BK1", "BYR1W")


@pytest.mark.parametrize(
    ("text", "says"),
    [(NEW + "9\t7\n", ":2: row has 2 columns"), (NEW + ROW + ROW, "occurs twice"), (ROW, "no header line")],
)
def test_what_is_malformed_is_named(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "gene_info"
    file.write_text(text)
    with pytest.raises(DataError, match=says):
        list(read(file, format="gene_info"))


@pytest.mark.data
def test_human_genes(data: Path) -> None:
    genes = list(read(data / "terminologies/other/Homo_sapiens.gene_info.gz"))
    assert len(genes) == pytest.approx(56_425, abs=2)
    assert sum(len(gene.all_names) for gene in genes) > 175_866
