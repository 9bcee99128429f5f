"""The shipped tagger: the same mentions whatever is recognised together, on one thread."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from linnet.encode.named_models import SHIPPED
from linnet.recognise import open_recogniser
from linnet.recognise import tagger as tagger_module
from linnet.recognise.network import Network
from linnet.recognise.tagger import Tagger
from linnet.types import Document, Mention

TEXTS = [
    "Naloxone reverses the antihypertensive effect of clonidine. Patients with ataxia telangiectasia (AT) had fever.",
    "",
    "Gout.",
    "   \n",
    "AT was treated with allopurinol, and hepatitis B and C were excluded. No nephrotic syndrome was seen.",
]


def threads() -> set[int]:
    """How many threads numpy's BLAS uses."""
    return {one["num_threads"] for one in ThreadpoolController().info() if "numpy" in str(one["filepath"])}


def documents() -> list[Document]:
    return [Document(str(number), text) for number, text in enumerate(TEXTS)]


def found(documents: list[Document]) -> list[list[tuple[int, int, str, float | None]]]:
    return [[(m.start, m.end, m.type, m.confidence) for m in document.mentions] for document in documents]


@pytest.mark.parametrize("batch_size", [1, 2, 64])
def test_what_is_found_in_a_document_does_not_depend_on_the_others(
    batch_size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    recogniser = open_recogniser("recogniser", [])
    alone = [found(recogniser.recognise([document]))[0] for document in documents()]
    assert alone[0]
    assert alone[4]
    assert alone[1] == alone[3] == []
    monkeypatch.setattr(tagger_module, "_BATCH", batch_size)
    monkeypatch.setattr(tagger_module, "_TOGETHER", batch_size)
    assert found(recogniser.recognise(documents())) == alone
    assert found(recogniser.recognise(documents()[::-1])) == alone[::-1]
    assert recogniser.recognise([]) == []


def test_documents_go_through_the_network_together_bit_for_bit_as_alone() -> None:
    tagger = Tagger.open(SHIPPED / "recogniser")
    texts = [
        f"{document.text} {'Asthma and gout were seen. ' * repeats}"
        for repeats in (0, 1, 9, 40)
        for document in documents()
    ]
    features = [tagger.features.of(text) for text in texts]
    features = [document for document in features if len(document.tokens)]
    vectors = [tagger.vectors.of(document.words) for document in features]
    together = tagger.network.emissions(vectors, features)
    assert len(together) == len(features) > 8
    for own, document, emissions in zip(vectors, features, together, strict=True):
        assert np.array_equal(tagger.network.emissions([own], [document])[0], emissions)
    assert tagger.network.emissions([], []) == []


def test_blas_uses_one_thread_while_it_recognises(monkeypatch: pytest.MonkeyPatch) -> None:
    counts: set[int] = set()
    emissions = Network.emissions

    def counted(self: Network, *given: Any) -> list[np.ndarray]:
        counts.update(threads())
        return emissions(self, *given)

    monkeypatch.setattr(Network, "emissions", counted)
    with threadpool_limits(2, user_api="blas"):
        if not threads():
            pytest.skip("numpy has a BLAS whose threads cannot be set")
        open_recogniser("recogniser", []).recognise(documents())
    assert counts == {1}


def test_it_judges_the_mentions_of_another_recogniser() -> None:
    [document] = [Document("d", TEXTS[0])]
    tagger = Tagger.open(SHIPPED / "recogniser", types=["Disease"])
    [alone] = tagger.recognise([document])
    spans = {mention.text: mention for mention in alone.mentions}
    texts = [
        "ataxia telangiectasia",
        "telangiectasia",
        "of clonidine",
        "ataxia telangiectas",
        "clonidine. Patients",
    ]
    others = [
        *(Mention(document, at := TEXTS[0].index(text), at + len(text), text, "disease") for text in texts),
        Mention(document, 0, 8, "Naloxone", "Chemical"),
        Mention(document, 0, 8, "Naloxone"),
    ]
    [(again, judgements)] = tagger.recognise_beside([document], [document.with_mentions(others)])
    assert again == alone
    assert "ataxia telangiectasia" in spans
    whole, part, nothing, *impossible = judgements
    assert whole is not None
    assert part is not None
    assert nothing is not None
    assert whole.exact > 0.5 > part.exact >= nothing.exact >= 0
    assert part.within >= whole.exact - 0.001
    assert all(judgement.within >= judgement.exact - 0.001 for judgement in (whole, part, nothing))
    assert impossible == [None, None, None, None]
