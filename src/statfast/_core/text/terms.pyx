# SPDX-License-Identifier: BSD-3-Clause
"""Counting the terms of documents: words, n-grams of words, n-grams of characters.

Documents are read from the UTF-8 that Python keeps of them. Bytes below 128 are looked up in a
table of 256, other characters in one of all code points; both give the letter that is counted (in
lower case, for example), or 0 where a word ends.

Cost: one read of the text, and one look-up in a hash table for each term. The caller guarantees a
table of letters for all code points, and limits the documents of a call so that it takes at most
0.1 s.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcmp, memset

cdef extern from "text/token_table.h" nogil:
    ctypedef struct term_state:
        int32_t same, last
    ctypedef struct term_table:
        char *bytes
        size_t *start
        uint32_t *length
        int32_t *before
        term_state *state
        int32_t n_terms, document
        int32_t *id
        int32_t *count
        size_t n_counts, n_tokens
    int32_t word_term(term_table *t, const char *p, size_t n)
    int32_t gram_term(term_table *t, int32_t before, int32_t last)
    void free_table(term_table *t)

cdef extern from "text/documents.h" nogil:
    int words_of(term_table *t, const uint8_t *p, const uint8_t *end, const int32_t *letter,
                 const uint8_t *ascii, int least, char *room)
    int count_grams(term_table *t, int low, int high)
    int count_characters(term_table *t, const uint8_t *p, const uint8_t *end, int low, int high,
                         int once)

cdef extern from "text/row_order.h" nogil:
    ctypedef struct row_entry:
        pass
    void sort_block(
        const int64_t *end, const int32_t *column, const int32_t *count, const int32_t *rank,
        Py_ssize_t n_ranks, Py_ssize_t low, Py_ssize_t high, Py_ssize_t *to, row_entry *a,
        row_entry *b, int32_t *to_column, int64_t *to_count)

cdef enum:
    COUNTS_OF_BLOCK = 16384  # counts that are sorted together: they stay in cache

ctypedef struct text:
    const uint8_t *start
    Py_ssize_t size


cdef class TermTable:
    """A table of terms, numbered in the order of their first occurrence."""

    cdef term_table table
    cdef list ends
    cdef uint8_t ascii[128]
    cdef const int32_t[::1] letter

    def __cinit__(self, const int32_t[::1] letter):
        cdef int c
        memset(&self.table, 0, sizeof(self.table))
        self.ends = []
        self.letter = letter
        for c in range(128):
            self.ascii[c] = <uint8_t>letter[c]

    def __dealloc__(self):
        free_table(&self.table)

    def __len__(self):
        return self.table.n_terms

    def word(self, str term):
        """The number of a word, which is added if it is new."""
        cdef bytes raw = term.encode("utf-8", "surrogatepass")
        return self._require_term(word_term(&self.table, raw, len(raw)))

    cdef int32_t _require_term(self, int32_t term) except -1:
        if term < 0:
            raise MemoryError
        return term

    def words(self, list texts):
        """The numbers of all words of texts, sequences of strings, as bytes of int32."""
        cdef Py_ssize_t size, i = 0
        cdef const char *p
        cdef int32_t known
        out = bytearray(4 * sum(map(len, texts)))
        cdef int[::1] number = memoryview(out).cast("i") if out else None
        for text in texts:
            for word in text:
                try:
                    p = PyUnicode_AsUTF8AndSize(word, &size)
                    known = word_term(&self.table, p, size)
                except UnicodeEncodeError:  # half of a surrogate pair
                    known = self.word(word)
                number[i] = self._require_term(known)
                i += 1
        return out

    def alias(self, int32_t term, int32_t other):
        """Count a term as another one, or if that is -1 not at all."""
        self.table.state[term].same = other

    def count_words(self, list documents, int least, int low, int high):
        """Count the n-grams, low <= n <= high, of words of at least `least` characters."""
        cdef Py_ssize_t n = len(documents), i
        cdef list kept = []
        cdef Py_ssize_t longest = 0
        cdef int failed = 0
        cdef text *texts = self._texts(documents, kept, &longest)
        cdef term_table *table = &self.table
        cdef char *room = <char *>malloc(2 * longest + 16)
        if room == NULL:
            free(texts)
            raise MemoryError
        ends = bytearray(8 * n)
        cdef long long[::1] end = memoryview(ends).cast("q") if n else None
        with nogil:
            for i in range(n):
                table.n_tokens = 0
                failed = failed or words_of(
                    table, texts[i].start, texts[i].start + texts[i].size,
                    &self.letter[0], self.ascii, least, room)
                failed = failed or count_grams(table, low, high)
                table.document += 1
                end[i] = <long long>table.n_counts
        free(texts)
        free(room)
        self._over(failed, ends)

    def count_characters(self, list documents, int low, int high):
        """Count the n-grams of characters of each document as it is."""
        cdef Py_ssize_t n = len(documents), i
        cdef list kept = []
        cdef Py_ssize_t longest = 0
        cdef int failed = 0
        cdef text *texts = self._texts(documents, kept, &longest)
        cdef term_table *table = &self.table
        ends = bytearray(8 * n)
        cdef long long[::1] end = memoryview(ends).cast("q") if n else None
        with nogil:
            for i in range(n):
                failed = failed or count_characters(
                    table, texts[i].start, texts[i].start + texts[i].size, low, high, 0)
                table.document += 1
                end[i] = <long long>table.n_counts
        free(texts)
        self._over(failed, ends)

    def count_padded_words(self, list documents, int low, int high):
        """Count the n-grams of characters of each word of each document, a list of words that are
        padded with blanks; one shorter than n is counted once, whole."""
        cdef Py_ssize_t i
        cdef list kept
        cdef Py_ssize_t longest, n
        cdef int failed = 0
        cdef text *texts
        ends = bytearray(8 * len(documents))
        cdef long long[::1] end = memoryview(ends).cast("q") if documents else None
        for d, words in enumerate(documents):
            kept, longest, n = [], 0, len(words)
            texts = self._texts(words, kept, &longest)
            with nogil:
                for i in range(n):
                    failed = failed or count_characters(
                        &self.table, texts[i].start, texts[i].start + texts[i].size, low, high, 1)
            self.table.document += 1
            end[d] = <long long>self.table.n_counts
            free(texts)
        self._over(failed, ends)

    cdef text *_texts(self, list documents, list kept, Py_ssize_t *longest) except NULL:
        """The addresses of the UTF-8 of the documents; `kept` keeps copies alive."""
        cdef Py_ssize_t i
        cdef bytes raw
        cdef text *texts = <text *>malloc((len(documents) + 1) * sizeof(text))
        if texts == NULL:
            raise MemoryError
        try:
            for i, document in enumerate(documents):
                try:
                    texts[i].start = <const uint8_t *>PyUnicode_AsUTF8AndSize(
                        document, &texts[i].size)
                except UnicodeEncodeError:  # half of a surrogate pair, which is no letter
                    raw = (<str>document).encode("utf-8", "surrogatepass")
                    kept.append(raw)
                    texts[i].start = <const uint8_t *><char *>raw
                    texts[i].size = len(raw)
                longest[0] = max(longest[0], texts[i].size)
        except BaseException:
            free(texts)
            raise
        return texts

    cdef _over(self, int failed, bytearray ends):
        if failed or self.table.n_counts > INT32_MAX:
            raise MemoryError("the documents have more terms than 32 bits count; pass fewer")
        self.ends.append(bytes(ends))

    def counts(self):
        """Bytes of int64 ends of the documents, of int32 terms, and of int32 counts."""
        cdef Py_ssize_t size = <Py_ssize_t>(self.table.n_counts * sizeof(int32_t))
        return (
            b"".join(self.ends),
            PyBytes_FromStringAndSize(<char *>self.table.id, size),
            PyBytes_FromStringAndSize(<char *>self.table.count, size),
        )

    def names(self, const int32_t[::1] terms):
        """The words and n-grams of these numbers, as strings."""
        cdef Py_ssize_t i
        return [self._name(terms[i]) for i in range(terms.shape[0])]

    cdef str _name(self, int32_t k):
        if self.table.before[k] < 0:
            return (self.table.bytes + self.table.start[k])[:self.table.length[k]].decode(
                "utf-8", "surrogatepass")
        return self._name(self.table.before[k]) + " " + self._name(self.table.state[k].last)

    def terms_of(self, TermTable other):
        """The numbers in this table of all terms of another one, as bytes of int32; new ones are
        added."""
        cdef int32_t k, n = other.table.n_terms, new_term = 0
        out = bytearray(4 * n)
        cdef int[::1] number = memoryview(out).cast("i") if n else None
        with nogil:
            for k in range(n):
                if other.table.before[k] < 0:
                    new_term = word_term(
                        &self.table, other.table.bytes + other.table.start[k], other.table.length[k]
                    )
                else:
                    new_term = gram_term(
                        &self.table, number[other.table.before[k]],
                        number[other.table.state[k].last]
                    )
                if new_term < 0:
                    break
                number[k] = new_term
        if n and new_term < 0:
            raise MemoryError
        return bytes(out)

    def all_words(self, const int32_t[::1] terms):
        """Whether none of these is an n-gram of words."""
        cdef Py_ssize_t i
        for i in range(terms.shape[0]):
            if self.table.before[terms[i]] >= 0:
                return False
        return True

    def sort_words(self, int32_t[::1] terms):
        """Sort numbers of words (not n-grams) by their bytes, which is the order of strings."""
        cdef Py_ssize_t n = terms.shape[0], i, j
        cdef keyed *pair = <keyed *>malloc((n + 1) * sizeof(keyed))
        cdef int32_t k
        if pair == NULL:
            raise MemoryError
        with nogil:
            for i in range(n):
                k = terms[i]
                pair[i].at = <const uint8_t *>self.table.bytes + self.table.start[k]
                pair[i].length = self.table.length[k]
                pair[i].term = k
                pair[i].head = 0
                for j in range(8):
                    pair[i].head = pair[i].head << 8 | (
                        pair[i].at[j] if j < <Py_ssize_t>pair[i].length else 0)
            qsort(pair, n, sizeof(keyed), in_order)
            for i in range(n):
                terms[i] = pair[i].term
        free(pair)


ctypedef struct keyed:
    uint64_t head           # the first eight bytes, big-endian
    const uint8_t *at
    uint32_t length
    int32_t term


cdef int in_order(const void *a, const void *b) noexcept nogil:
    cdef const keyed *x = <const keyed *>a
    cdef const keyed *y = <const keyed *>b
    cdef int said
    if x.head != y.head:
        return -1 if x.head < y.head else 1
    said = memcmp(x.at, y.at, min(x.length, y.length))
    return said if said else (1 if x.length > y.length else -1 if x.length < y.length else 0)


def sort_rows(
    const int64_t[::1] end,     # IN (n,) ends of the rows
    const int32_t[::1] column,  # IN (nonzeros,)
    const int32_t[::1] count,   # IN
    const int32_t[::1] rank,    # IN the new number of each column, from 0
    Py_ssize_t n_ranks,
    Py_ssize_t first,           # row
    Py_ssize_t stop,
    int32_t[::1] to_column,     # OUT (nonzeros,) ascending within each row
    int64_t[::1] to_count,      # OUT
):
    """Give columns their new numbers, and put each row of them in order."""
    cdef Py_ssize_t most = COUNTS_OF_BLOCK, i, low = end[first - 1] if first else 0, high = low
    cdef Py_ssize_t *to = <Py_ssize_t *>malloc((stop - first + 1) * sizeof(Py_ssize_t))
    cdef row_entry *block
    for i in range(first, stop):
        most = max(most, end[i] - high)
        high = end[i]
    block = <row_entry *>malloc(2 * most * sizeof(row_entry))
    if block == NULL or to == NULL:
        free(block)
        free(to)
        raise MemoryError
    with nogil:
        while first < stop:
            i = first + 1
            while i < stop and end[i] - low <= most:
                i += 1
            high = end[i - 1]
            if high > low:
                sort_block(&end[first], &column[0], &count[0], &rank[0], n_ranks, low, high, to,
                           block, block + most, &to_column[0], &to_count[0])
            first = i
            low = high
    free(block)
    free(to)
