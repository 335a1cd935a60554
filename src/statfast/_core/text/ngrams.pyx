# SPDX-License-Identifier: BSD-3-Clause
"""Back-off n-gram models: log probabilities of sequences, and sequences drawn from the model.

The n-grams of each order lie sorted by their first words and then the last, so that those that
continue one n-gram lie together and are found by bisection; `first` holds the place of the first of
them. A word that was not seen after a context has the back-off weight of the context times its
probability after the context without its first word (S. M. Katz 1987,
doi:10.1109/TASSP.1987.1165125). In a direct model it has the weight alone.

A word is drawn among those seen after the context by cumulative probabilities. With the remaining
probability it is drawn after the shorter context, again and again until it is one that was not seen
after the context. Random numbers are those of a counter (G. L. Steele et al. 2014,
doi:10.1145/2660193.2660195).

Cost: order^2 bisections a word. The caller guarantees words below the size of the vocabulary, all
of which are in order 1, and limits the words of a call so that it takes at most 0.1 s.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint64_t

cdef enum:
    MAX_ORDER = 32  # order


cdef struct Model:
    Py_ssize_t order
    Py_ssize_t words                 # of the vocabulary
    const int64_t *base              # (order + 1,) where the n-grams of each order begin
    const int32_t *word              # of each n-gram, its last
    const int64_t *first             # of each n-gram, its first continuation; one more at the end
    const double *logp
    const double *logb
    const double *upto               # cumulative probability within the continuations of a context
    bint direct
    double floor                     # of a direct model, where the context was not seen


cdef Py_ssize_t child(const Model *m, Py_ssize_t node, int32_t word) noexcept nogil:
    """The n-gram that continues another (or -1) with a word, or -1."""
    cdef Py_ssize_t low, high, middle
    if node < 0:
        return word
    low = m.first[node]
    high = m.first[node + 1]
    while low < high:
        middle = (low + high) // 2
        if m.word[middle] < word:
            low = middle + 1
        else:
            high = middle
    return low if low < m.first[node + 1] and m.word[low] == word else -1


cdef Py_ssize_t context(const Model *m, const int32_t *end, Py_ssize_t n) noexcept nogil:
    """The n-gram of the n words before `end`, or -1."""
    cdef Py_ssize_t node = end[-n], i
    for i in range(n - 1, 0, -1):
        node = child(m, node, end[-i])
        if node < 0:
            return -1
    return node


cdef double log_probability(
    const Model *m, const int32_t *at, Py_ssize_t before
) noexcept nogil:
    """The log probability of the word at a place after the words before it, order - 1 at most."""
    cdef Py_ssize_t n = min(before, m.order - 1), node, ngram
    cdef double weight = 0
    while n > 0:
        node = context(m, at, n)
        if node >= 0:
            ngram = child(m, node, at[0])
            if ngram >= 0:
                return weight + m.logp[ngram]
            weight += m.logb[node]
        elif m.direct:
            return m.floor
        if m.direct:
            return weight
        n -= 1
    return weight + m.logp[at[0]]


cdef uint64_t mixed(uint64_t z) noexcept nogil:
    z = (z ^ (z >> 30)) * <uint64_t>0xbf58476d1ce4e5b9
    z = (z ^ (z >> 27)) * <uint64_t>0x94d049bb133111eb
    return z ^ (z >> 31)


cdef double uniform(uint64_t *counter) noexcept nogil:
    counter[0] += <uint64_t>0x9e3779b97f4a7c15
    return <double>(mixed(counter[0]) >> 11) * (1.0 / 9007199254740992.0)


cdef int32_t drawn(
    const Model *m, const int32_t *at, Py_ssize_t n, uint64_t *counter
) noexcept nogil:
    """A word after the n words before a place; at most order - 1 deep."""
    cdef Py_ssize_t node = -1, low = 0, high = m.words, middle, begin
    cdef double u, total
    cdef int32_t word
    cdef int tries = 0
    while n > 0:
        node = context(m, at, n)
        if node >= 0 and m.first[node + 1] > m.first[node]:
            break
        node = -1
        if m.direct:
            return <int32_t>(uniform(counter) * <double>m.words)
        n -= 1
    if node >= 0:
        low = m.first[node]
        high = m.first[node + 1]
    begin = low
    total = m.upto[high - 1]
    u = uniform(counter)
    if node < 0:
        u *= total
    elif u >= total and total < 1 - 1e-9 and m.logb[node] > -INFINITY:
        while tries < 100000:
            if m.direct:
                word = <int32_t>(uniform(counter) * <double>m.words)
            else:
                word = drawn(m, at, n - 1, counter)
            if child(m, node, word) < 0:
                return word
            tries += 1
        u = uniform(counter) * total
    elif u >= total:
        u = uniform(counter) * total
    while low < high:
        middle = (low + high) // 2
        if m.upto[middle] <= u:
            low = middle + 1
        else:
            high = middle
    while low > begin and m.logp[low] == -INFINITY:
        low -= 1
    return m.word[low]


cdef class BackOff:
    """A model: arrays of n-grams, one order after another, in the order of their words."""

    cdef Model m
    cdef readonly tuple arrays

    def __init__(
        self,
        const int64_t[::1] base,     # IN (order + 1,)
        const int32_t[::1] word,     # IN (n-grams,)
        const int64_t[::1] first,    # IN (n-grams + 1,)
        const double[::1] logp,      # IN (n-grams,)
        const double[::1] logb,      # IN (n-grams,)
        const double[::1] upto,      # IN (n-grams,)
        bint direct,
        double floor,
    ):
        self.arrays = (base, word, first, logp, logb, upto)
        self.m.order = base.shape[0] - 1
        self.m.words = base[1]
        self.m.base = &base[0]
        self.m.word = &word[0]
        self.m.first = &first[0]
        self.m.logp = &logp[0]
        self.m.logb = &logb[0]
        self.m.upto = &upto[0]
        self.m.direct = direct
        self.m.floor = floor
        if self.m.order > MAX_ORDER:
            raise ValueError("order must be at most 32")

    def score(
        self,
        const int32_t[::1] words,    # IN (n,) texts, one after another
        const int64_t[::1] begin,    # IN (texts + 1,)
        Py_ssize_t given,            # the number of first words of each text that are only context
        double[::1] out,             # OUT (n,) log probabilities, 0 for the words of the context
    ):
        """Log probability of each word of each text after those before it."""
        cdef Py_ssize_t t, i
        with nogil:
            for t in range(begin.shape[0] - 1):
                for i in range(begin[t], begin[t + 1]):
                    out[i] = 0
                    if i - begin[t] >= given:
                        out[i] = log_probability(&self.m, &words[i], i - begin[t])

    def draw(
        self,
        int32_t[::1] words,          # INOUT (n,) the first `given` are context
        Py_ssize_t given,
        int32_t end,                 # word that ends a text
        uint64_t seed,
    ):
        """Continue a text until it ends or is full; returns the number of its words, with the
        end."""
        cdef Py_ssize_t i = given
        cdef uint64_t counter = mixed(seed)
        with nogil:
            while i < words.shape[0]:
                words[i] = drawn(&self.m, &words[0] + i, min(i, self.m.order - 1), &counter)
                i += 1
                if words[i - 1] == end:
                    break
        return i
