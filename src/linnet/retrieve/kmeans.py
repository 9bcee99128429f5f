"""Spherical k-means: centres of clusters of directions.

The number of threads does not change the centres: each thread multiplies blocks of one fixed size, and sums follow the
order of the points. Clustering has two levels: √k groups, then clusters within each; a final pass improves all centres
together. k = 4,096 takes seconds instead of minutes and finds as many neighbours.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from math import isqrt

import numpy as np

from linnet.arrays import Floats, Ints
from linnet.encode import unit
from linnet.system.blas import single_threaded_blas

__all__ = ["nearest_centres", "spherical_kmeans"]

_ROUNDS, _LAST_ROUNDS = 8, 2
_BLOCK = 1 << 12


def spherical_kmeans(points: Floats, count: int, *, threads: int) -> Floats:
    """(count, D) unit centres of (N, D) unit points, N ≥ count."""
    groups = isqrt(count)
    if groups < 2:
        return _improved(points, _spaced(points, count), _ROUNDS, threads)
    top = _improved(points, _spaced(points, groups), _ROUNDS, threads)
    owners = nearest_centres(points, top, threads=threads)
    sizes = np.bincount(owners, minlength=groups)
    # Each group gets centres in proportion to its size; rounding carries over from group to group.
    ends = np.rint(np.cumsum(sizes) * (count / len(points))).astype(np.int64)
    shares = np.diff(ends, prepend=0)
    centres = []
    for group in range(groups):
        members = points[owners == group]
        centres.append(_improved(members, _spaced(members, int(shares[group])), _ROUNDS, threads))
    return _improved(points, np.concatenate(centres), _LAST_ROUNDS, threads)


def nearest_centres(points: Floats, centres: Floats, *, threads: int) -> Ints:
    """(N,) the centre with the largest dot product; ties go to the first."""

    def nearest(start: int) -> Ints:
        return np.asarray((points[start : start + _BLOCK] @ centres.T).argmax(axis=1))

    with single_threaded_blas(), ThreadPoolExecutor(threads) as pool:
        blocks = list(pool.map(nearest, range(0, len(points), _BLOCK)))
    return np.concatenate(blocks)


def _spaced(points: Floats, count: int) -> Floats:
    return points[np.linspace(0, max(len(points) - 1, 0), count).astype(np.int64)]


def _improved(points: Floats, centres: Floats, rounds: int, threads: int) -> Floats:
    """Rounds of Lloyd's algorithm: each centre becomes the direction of its points' sum, or stays if it has no points."""
    if not len(centres):
        return centres
    for _ in range(rounds):
        owners = nearest_centres(points, centres, threads=threads)
        order = np.argsort(owners, kind="stable")
        full, starts = np.unique(owners[order], return_index=True)
        centres = centres.copy()
        centres[full] = unit(np.add.reduceat(points[order], starts, axis=0))
    return centres
