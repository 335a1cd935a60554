# SPDX-License-Identifier: BSD-3-Clause
"""Slow, obvious twin of the tangent distance."""

import numpy as np


def gaussian_taps(sigma):
    """Weights of a Gaussian as far as three standard deviations; they sum to 1."""
    reach = int(np.ceil(3 * sigma))
    if reach == 0:
        return np.ones(1)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    return weights / weights.sum()


def smoothed(image, sigma):
    """The image convolved along both axes; beyond its edge it stays what it is at the edge."""
    taps = gaussian_taps(sigma)
    reach = len(taps) // 2
    for axis in (0, 1):
        image = np.apply_along_axis(
            lambda line: np.convolve(np.pad(line, reach, mode="edge"), taps, mode="valid"),
            axis,
            image,
        )
    return image


def tangents(image):
    """The seven tangents, of length 1 or 0, as the columns of a matrix."""
    height, width = image.shape
    framed = np.pad(image, 1, mode="edge")
    across = (framed[1:-1, 2:] - framed[1:-1, :-2]) / 2
    down = (framed[2:, 1:-1] - framed[:-2, 1:-1]) / 2
    y, x = np.mgrid[:height, :width]
    x, y = x - (width - 1) / 2, y - (height - 1) / 2
    moves = [
        across,
        down,
        x * across + y * down,
        y * across - x * down,
        x * across - y * down,
        y * across + x * down,
        across**2 + down**2,
    ]
    columns = [move.ravel() for move in moves]
    lengths = [np.linalg.norm(column) for column in columns]
    return np.column_stack(
        [column / (length or 1) for column, length in zip(columns, lengths, strict=True)]
    )


def squared_distance(a, b, shape, sigma=0.9, two_sided=True, ridge=1e-3):
    """min over s, t of |a + T_a s - b - T_b t|^2 + ridge (|s|^2 + |t|^2), a and b smoothed."""
    a, b = (smoothed(np.asarray(image, np.float64).reshape(shape), sigma) for image in (a, b))
    directions = tangents(a)
    if two_sided:
        directions = np.hstack([directions, tangents(b)])
    price = np.sqrt(ridge) * np.eye(directions.shape[1])
    system = np.vstack([directions, price])
    wanted = np.append((a - b).ravel(), np.zeros(directions.shape[1]))
    best = np.linalg.lstsq(system, wanted, rcond=None)[0]
    return float(((wanted - system @ best) ** 2).sum())
