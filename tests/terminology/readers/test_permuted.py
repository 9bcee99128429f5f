import pytest

from linnet.terminology.readers.permuted import add_natural_order, natural
from linnet.types import Concept


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Diabetes Mellitus, Type 2", "Type 2 Diabetes Mellitus"),
        ("Anemia, Aplastic", "Aplastic Anemia"),
        ("Breast Neoplasms, Male", "Male Breast Neoplasms"),
        ("Abdomen, Acute", "Acute Abdomen"),
    ],
)
def test_an_inverted_name_is_turned_round(name: str, expected: str) -> None:
    assert natural(name) == expected


@pytest.mark.parametrize(
    "name",
    [
        "2,4-D, acid",
        "Benzoic acid, 2,4-dichloro-",
        "Proline, L-",
        "Lysine, (S)-",
        "Blindness, deafness, and ataxia",
        "Seizures, and fever",
        "Epiphyseal Dysplasia of Femoral Head, Myopia, and Deafness",
        "Deafness, 12",
        "Hyperekplexia, Hereditary 1",
        "Neoplasm, of bone",
        "Foo, included",
        "Diabetes Mellitus",
        "a,b",
        "Foo, ",
        ", bar",
        "",
    ],
)
def test_lists_chemicals_clauses_and_numbers_are_left_alone(name: str) -> None:
    assert natural(name) is None


def test_what_is_there_already_is_not_added() -> None:
    concept = Concept("X:1", "Anemia, Aplastic", ("aplastic anemia", "Pain, Chest"))
    assert add_natural_order(concept).names == ("aplastic anemia", "Pain, Chest", "Chest Pain")
    assert concept.names == ("aplastic anemia", "Pain, Chest")
