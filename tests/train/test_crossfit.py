"""Where the candidates of a crossfit come from."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.encode import load_encoder
from linnet.errors import MismatchError, UnknownNameError
from linnet.train.crossfit import Crossfit


def test_the_encoder_of_the_candidates_is_among_the_data_by_its_digest(tmp_path: Path) -> None:
    crossfit = Crossfit((), folds=2, depth=1, place=tmp_path, encoder="ngram")
    assert crossfit.data == {"encoder": load_encoder("ngram").digest}
    assert Crossfit((), folds=2, depth=1, place=tmp_path).data == {}


def test_what_is_no_encoder_is_refused_before_anything_is_linked(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="no-such-encoder"):
        Crossfit((), folds=2, depth=1, place=tmp_path, encoder="no-such-encoder")
    with pytest.raises(MismatchError, match="expected an encoder"):
        Crossfit((), folds=2, depth=1, place=tmp_path, encoder="context")
