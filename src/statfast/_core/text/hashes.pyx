# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""MurmurHash3 of 32 bits of the UTF-8 of terms, the hash that scikit-learn's vectorizer takes.

A. Appleby (2011), MurmurHash3, whose author has placed it in the public domain. Bytes are read in
the order of little-endian words on every machine. Cost: one read of the text. The caller limits the
terms of a call so that it takes at most 0.1 s.
"""

from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.stdint cimport int32_t, uint8_t, uint32_t

cdef:
    uint32_t FIRST_FACTOR = 0xcc9e2d51u
    uint32_t SECOND_FACTOR = 0x1b873593u


def hash_terms(
    list terms,  # IN (n,) of str
    int32_t[::1] out,  # OUT (n,)
):
    """The hash of each term with seed 0, as a signed number."""
    cdef Py_ssize_t i, size
    cdef const char *text
    cdef bytes encoded
    for i in range(len(terms)):
        try:
            text = PyUnicode_AsUTF8AndSize(terms[i], &size)
        except UnicodeEncodeError:  # half of a surrogate pair
            encoded = terms[i].encode("utf-8", "surrogatepass")
            text, size = encoded, len(encoded)
        out[i] = <int32_t>hash_bytes(<const uint8_t *>text, size)


cdef uint32_t hash_bytes(const uint8_t *text, Py_ssize_t size) noexcept nogil:
    cdef uint32_t state = 0, word
    cdef Py_ssize_t i, n_words = size // 4
    cdef int k
    for i in range(n_words):
        word = 0
        for k in range(4):
            word |= <uint32_t>text[4 * i + k] << (8 * k)
        state = rotate(state ^ scramble(word), 13) * 5 + 0xe6546b64u
    word = 0
    for k in range(<int>(size - 4 * n_words)):
        word |= <uint32_t>text[4 * n_words + k] << (8 * k)
    return spread(state ^ scramble(word) ^ <uint32_t>size)


cdef inline uint32_t scramble(uint32_t word) noexcept nogil:
    """The mixed bits of a word that are combined with the state; 0 for 0."""
    return rotate(word * FIRST_FACTOR, 15) * SECOND_FACTOR


cdef inline uint32_t rotate(uint32_t word, int bits) noexcept nogil:
    return (word << bits) | (word >> (32 - bits))


cdef inline uint32_t spread(uint32_t state) noexcept nogil:
    """The last step, which lets every bit of the state change every bit of the hash."""
    state = (state ^ (state >> 16)) * 0x85ebca6bu
    state = (state ^ (state >> 13)) * 0xc2b2ae35u
    return state ^ (state >> 16)
