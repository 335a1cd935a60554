# SPDX-License-Identifier: BSD-3-Clause
"""The fourteen covariance models, and the M step of each: covariances from weighted scatters.

The covariance of component k is lambda_k D_k A_k D_k', of a volume, an orientation and a shape of
determinant 1 (Banfield & Raftery 1993, doi:10.2307/2532201). A name says whether volume, shape and
orientation are equal (E), vary (V) or are the identity (I). Closed forms and iterations are those
of Celeux & Govaert 1995, doi:10.1016/0031-3203(94)00125-6; a common orientation with shapes that
vary is found by plane rotations, after Flury & Gautschi 1986, doi:10.1137/0907013.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MODELS = (
    "EII", "VII", "EEI", "VEI", "EVI", "VVI",
    "EEE", "VEE", "EVE", "VVE", "EEV", "VEV", "EVV", "VVV",
)  # fmt: skip
ALIASES = {"full": "VVV", "tied": "EEE", "diag": "VVI", "spherical": "VII"}
MAX_INNER_STEPS = 200  # of an iteration inside an M step
INNER_TOLERANCE = 1e-11  # relative change of volumes, or angle of a rotation, at which it ends


@dataclass(frozen=True)
class CovarianceModel:
    """One of the fourteen models, by the letters of its volume, shape and orientation."""

    name: str

    @property
    def diagonal(self) -> bool:
        """Whether columns are uncorrelated within components."""
        return self.name[2] == "I"

    @property
    def form(self) -> str:
        """How covariances are kept, in the words of scikit-learn."""
        if self.diagonal:
            return "spherical" if self.name[1] == "I" else "diag"
        return "tied" if self.name == "EEE" else "full"

    def n_parameters(self, n_components: int, d: int) -> int:
        """Free parameters of the covariances."""
        volume, shape, orientation = tuple(self.name)
        n_volumes = n_components if volume == "V" else 1
        n_shapes = {"I": 0, "E": 1, "V": n_components}[shape]
        n_orientations = {"I": 0, "E": 1, "V": n_components}[orientation]
        return n_volumes + n_shapes * (d - 1) + n_orientations * (d * (d - 1) // 2)

    def solve(
        self, counts: NDArray[np.float64], scatters: NDArray[np.float64],
        orientation: NDArray[np.float64] | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:  # fmt: skip
        """Covariances of greatest likelihood for weights (K,) and scatters about the means.

        Scatters are (K, d, d), or their diagonals (K, d) for diagonal models. Returns covariances
        of the same shape and the common orientation, where the model has one that is searched for:
        the next M step starts there. Numbers that are not finite or positive are of scatters of
        which there are no such covariances.
        """
        with np.errstate(all="ignore"):
            if self.diagonal:
                return _DIAGONAL[self.name](counts, scatters), None
            if self.name in ("EVE", "VVE"):
                return common_orientation(counts, scatters, self.name == "EVE", orientation)
            return _ELLIPSOIDAL[self.name](counts, scatters), None


def model_named(covariance_type: str) -> CovarianceModel:
    """The model of a name of three letters, or of scikit-learn's name for it."""
    return CovarianceModel(ALIASES.get(covariance_type, covariance_type))


def geometric_mean(values: Any) -> Any:
    """Along the last axis."""
    return np.exp(np.log(values).mean(axis=-1))


def determinant_root(matrices: Any) -> Any:
    """The d-th root of determinants."""
    return np.exp(np.linalg.slogdet(matrices)[1] / matrices.shape[-1])


def spread_over(counts: Any, common: Any) -> Any:
    """The same covariance for all components."""
    return np.repeat(common[None], len(counts), axis=0)


# ------------------------------------------------------------------ diagonal models


def _eii(counts: Any, squares: Any) -> Any:
    return np.full_like(squares, squares.sum() / (counts.sum() * squares.shape[1]))


def _vii(counts: Any, squares: Any) -> Any:
    return np.repeat((squares.mean(axis=1) / counts)[:, None], squares.shape[1], axis=1)


def _eei(counts: Any, squares: Any) -> Any:
    return spread_over(counts, squares.sum(axis=0) / counts.sum())


def _vei(counts: Any, squares: Any) -> Any:
    """Volumes that vary with one shape, each solved for the other in turn."""
    return alternate(
        counts,
        lambda volumes: normalized(squares.T @ (1.0 / volumes)),
        lambda shape: (squares / shape).mean(axis=1) / counts,
        lambda volumes, shape: volumes[:, None] * shape,
    )


def _evi(counts: Any, squares: Any) -> Any:
    volumes = geometric_mean(squares)
    return squares / volumes[:, None] * (volumes.sum() / counts.sum())


def _vvi(counts: Any, squares: Any) -> Any:
    return squares / counts[:, None]


def normalized(values: Any) -> Any:
    """Positive numbers with product 1."""
    return values / geometric_mean(values)


def alternate(counts: Any, solve_shape: Any, solve_volumes: Any, combine: Any) -> Any:
    """Covariances of a common shape and volumes that vary, by iteration to rest."""
    volumes = np.ones(len(counts))
    for _ in range(MAX_INNER_STEPS):
        shape = solve_shape(volumes)
        before, volumes = volumes, solve_volumes(shape)
        if not np.abs(np.log(volumes / before)).max() > INNER_TOLERANCE:
            break
    return combine(volumes, shape)


_DIAGONAL = {"EII": _eii, "VII": _vii, "EEI": _eei, "VEI": _vei, "EVI": _evi, "VVI": _vvi}


# ------------------------------------------------------------------ ellipsoidal models


def _eee(counts: Any, scatters: Any) -> Any:
    return spread_over(counts, scatters.sum(axis=0) / counts.sum())


def _vee(counts: Any, scatters: Any) -> Any:
    d = scatters.shape[1]

    def solve_shape(volumes: Any) -> Any:
        pooled = np.einsum("kij,k->ij", scatters, 1.0 / volumes)
        return pooled / determinant_root(pooled)

    def solve_volumes(shape: Any) -> Any:
        return np.einsum("ij,kji->k", inverse(shape), scatters) / (d * counts)

    return alternate(
        counts, solve_shape, solve_volumes, lambda volumes, shape: volumes[:, None, None] * shape
    )


def _eev(counts: Any, scatters: Any) -> Any:
    variances, axes = principal_axes(scatters)
    return rebuilt(axes, spread_over(counts, variances.sum(axis=0) / counts.sum()))


def _vev(counts: Any, scatters: Any) -> Any:
    variances, axes = principal_axes(scatters)
    return rebuilt(axes, _vei(counts, variances))


def _evv(counts: Any, scatters: Any) -> Any:
    volumes = determinant_root(scatters)
    return scatters * (volumes.sum() / counts.sum() / volumes)[:, None, None]


def _vvv(counts: Any, scatters: Any) -> Any:
    return scatters / counts[:, None, None]


def principal_axes(scatters: Any) -> Any:
    """Eigenvalues (K, d), descending, and eigenvectors (K, d, d) of scatters."""
    if not np.isfinite(scatters).all():
        return np.full(scatters.shape[:2], np.nan), np.full_like(scatters, np.nan)
    variances, axes = np.linalg.eigh(scatters)
    return variances[:, ::-1], axes[:, :, ::-1]


def rebuilt(axes: Any, variances: Any) -> Any:
    """D diag(variances) D' of each component, symmetric to the last bit."""
    product = (axes * variances[:, None, :]) @ axes.transpose(0, 2, 1)
    return (product + product.transpose(0, 2, 1)) / 2.0


def inverse(matrix: Any) -> Any:
    """The inverse; numbers that are none where there is no inverse."""
    try:
        return np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return np.full_like(matrix, np.nan)


_ELLIPSOIDAL = {
    "EEE": _eee, "VEE": _vee, "EEV": _eev, "VEV": _vev, "EVV": _evv, "VVV": _vvv,
}  # fmt: skip


# ------------------------------------------------------------------ one orientation, many shapes


def common_orientation(counts: Any, scatters: Any, equal_volume: Any, orientation: Any) -> Any:
    """Covariances with common eigenvectors D (models EVE and VVE), and D.

    Given variances (K, d) along the axes, the likelihood is a sum over pairs of axes that a plane
    rotation maximizes in closed form; given D, the variances have closed forms. Both steps raise
    the likelihood, and are taken in turn until no rotation turns further.
    """
    if not np.isfinite(scatters).all():
        return np.full_like(scatters, np.nan), None
    starts = [orientation]
    if orientation is None:  # There are several maxima: the best of some starts is taken.
        starts = [principal_axes(scatters.sum(axis=0)[None])[1][0], *principal_axes(scatters)[1]]
    ends = [turn_to_rest(counts, scatters, equal_volume, start) for start in starts]
    losses = [loss for loss, _, _ in ends]
    if np.isnan(losses).any():
        return np.full_like(scatters, np.nan), None
    _, variances, axes = ends[int(np.argmin(losses))]
    return rebuilt(spread_over(counts, axes), variances), axes


def turn_to_rest(counts: Any, scatters: Any, equal_volume: Any, orientation: Any) -> Any:
    """Minus the log-likelihood, variances and axes at the maximum that a start leads to."""
    axes = orientation.copy()
    turned = axes.T @ scatters @ axes  # scatters in the coordinates of the axes
    for _ in range(MAX_INNER_STEPS):
        variances = axis_variances(counts, turned, equal_volume)
        if not (variances > 0.0).all():
            return np.nan, variances, axes
        if rotate_axes(axes, turned, 1.0 / variances) <= np.sqrt(INNER_TOLERANCE):
            break
    variances = axis_variances(counts, turned, equal_volume)
    return float(counts @ np.log(variances).sum(axis=1)), variances, axes


def axis_variances(counts: Any, turned: Any, equal_volume: Any) -> Any:
    """The variances along common axes (K, d) of greatest likelihood."""
    return (_evi if equal_volume else _vvi)(counts, np.diagonal(turned, axis1=1, axis2=2))


def rotate_axes(axes: Any, turned: Any, precisions: Any) -> Any:
    """Turn each pair of axes once, in place; returns the sine of the largest angle.

    Of the pair (l, m) the first becomes the direction in which the sum over components of the
    difference of precisions times the scatter in the plane is least.
    """
    d, largest = len(axes), 0.0
    for first in range(d - 1):
        for second in range(first + 1, d):
            gains = precisions[:, first] - precisions[:, second]
            a = gains @ turned[:, first, first]
            b = gains @ turned[:, first, second]
            c = gains @ turned[:, second, second]
            angle = 0.5 * np.arctan2(-2.0 * b, c - a)  # of the eigenvector of the least eigenvalue
            if b == 0.0 and a <= c:
                continue
            cosine, sine = np.cos(angle), np.sin(angle)
            largest = max(largest, abs(sine))
            turn = np.array([[cosine, -sine], [sine, cosine]])
            pair = [first, second]
            axes[:, pair] = axes[:, pair] @ turn
            turned[:, :, pair] = turned[:, :, pair] @ turn
            turned[:, pair] = turn.T @ turned[:, pair]
    return largest
