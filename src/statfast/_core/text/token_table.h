/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of terms: words by their UTF-8 bytes, n-grams of words by the term before and the last word.
   Open addressing with linear probing (D. E. Knuth 1998, The Art of Computer Programming 3, 6.4), half
   full at most; hashes take eight bytes at a time. What a document counts is stamped with its number,
   so that nothing is cleared between documents. Functions return 0, or -1 without memory. */
#ifndef STATFAST_TOKEN_TABLE_H
#define STATFAST_TOKEN_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NO_TERM (-1) /* a stop word */
#define NO_MEMORY (-2)

typedef struct {
    uint64_t *hash;    /* of each place: 0 is free */
    int32_t *term;
    size_t mask, used;
} term_places;

/* A word of up to eight bytes is decided by its place alone, which is half a cache line. */
typedef struct {
    uint64_t hash, head; /* 0 is free; the first eight bytes, or all in some order */
    size_t start;
    uint32_t length;
    int32_t term;
} word_place;

typedef struct {
    int32_t same;  /* the term that it counts as, or NO_TERM */
    int32_t stamp; /* the document that counted it last */
    int32_t place; /* and where */
    int32_t last;  /* of an n-gram: its last word */
} term_state;

typedef struct {
    word_place *word;         /* of each place */
    size_t mask, used;
    term_places grams;
    char *bytes;              /* of all words, one after another */
    size_t n_bytes, room_bytes;
    size_t *start;            /* of each term that is a word: where its bytes start */
    uint32_t *length;         /* and how many there are */
    int32_t *before;          /* of each n-gram: the term before its last word; of words -1 */
    term_state *state;        /* of each term */
    int32_t n_terms, room_terms;
    int32_t document;
    int32_t *id, *count;      /* what documents count */
    size_t n_counts, room_counts;
    int32_t *token;           /* terms of the present document */
    size_t n_tokens, room_tokens;
} term_table;

static inline uint64_t mixed(uint64_t a, uint64_t b) {
    uint64_t h = (a ^ (b + 0x9e3779b97f4a7c15u)) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
    return h * 0xc4ceb9fe1a85ec53u;
}

static inline uint64_t hash_of(const char *p, size_t n, uint64_t *head) {
    uint64_t h = n, piece = 0;
    const int whole = n >= 8;
    if (whole) memcpy(head, p, 8);
    for (; n >= 8; n -= 8, p += 8) {
        memcpy(&piece, p, 8);
        h = mixed(h, piece);
    }
    piece = 0;
    if (n & 4) { uint32_t x; memcpy(&x, p, 4); piece = x; p += 4; }
    if (n & 2) { uint16_t x; memcpy(&x, p, 2); piece = piece << 16 | x; p += 2; }
    if (n & 1) piece = piece << 8 | (uint8_t)*p;
    if (!whole) *head = piece;
    h = mixed(h, piece);
    h ^= h >> 29;
    return h ? h : 1;
}

static int room_for(void **array, size_t *room, size_t needed, size_t size) {
    if (needed <= *room) return 0;
    size_t more = *room * 2 > needed ? *room * 2 : needed;
    if (more < 64) more = 64;
    void *moved = realloc(*array, more * size);
    if (!moved) return -1;
    *array = moved;
    *room = more;
    return 0;
}

static int widen_places(term_places *t) {
    const size_t old = t->hash ? t->mask + 1 : 0, size = old ? old * 2 : 1024;
    uint64_t *hash = calloc(size, sizeof *hash);
    int32_t *term = malloc(size * sizeof *term);
    if (!hash || !term) { free(hash); free(term); return -1; }
    for (size_t i = 0; i < old; i++) {
        if (!t->hash[i]) continue;
        size_t at = t->hash[i] & (size - 1);
        while (hash[at]) at = (at + 1) & (size - 1);
        hash[at] = t->hash[i];
        term[at] = t->term[i];
    }
    free(t->hash);
    free(t->term);
    t->hash = hash;
    t->term = term;
    t->mask = size - 1;
    return 0;
}

static int widen_words(term_table *t) {
    const size_t old = t->word ? t->mask + 1 : 0, size = old ? old * 2 : 1024;
    word_place *word = calloc(size, sizeof *word);
    if (!word) return -1;
    for (size_t i = 0; i < old; i++) {
        if (!t->word[i].hash) continue;
        size_t at = t->word[i].hash & (size - 1);
        while (word[at].hash) at = (at + 1) & (size - 1);
        word[at] = t->word[i];
    }
    free(t->word);
    t->word = word;
    t->mask = size - 1;
    return 0;
}

static int32_t new_term(term_table *t, int32_t before, int32_t last, size_t start, size_t length) {
    if (t->n_terms == t->room_terms) {
        const size_t room = t->room_terms ? 2 * (size_t)t->room_terms : 1024;
        if (room > INT32_MAX) return NO_MEMORY;
        void *p;
#define GROW(FIELD)                                              \
    if (!(p = realloc(t->FIELD, room * sizeof *t->FIELD))) return NO_MEMORY; \
    t->FIELD = p;
        GROW(start) GROW(length) GROW(before) GROW(state)
#undef GROW
        t->room_terms = (int32_t)room;
    }
    const int32_t k = t->n_terms++;
    t->start[k] = start;
    t->length[k] = (uint32_t)length;
    t->before[k] = before;
    t->state[k] = (term_state){.same = k, .stamp = -1, .last = last};
    return k;
}

/* The term of these bytes, which may be new. */
static inline int32_t word_term(term_table *t, const char *p, size_t n) {
    if (2 * (t->used + 1) > t->mask && widen_words(t)) return NO_MEMORY;
    uint64_t head = 0;
    const uint64_t h = hash_of(p, n, &head);
    size_t at = h & t->mask;
    for (; t->word[at].hash; at = (at + 1) & t->mask) {
        const word_place *w = &t->word[at];
        if (w->hash == h && w->length == n && w->head == head &&
            (n <= 8 || !memcmp(t->bytes + w->start + 8, p + 8, n - 8)))
            return w->term;
    }
    if (room_for((void **)&t->bytes, &t->room_bytes, t->n_bytes + n, 1)) return NO_MEMORY;
    const int32_t k = new_term(t, -1, -1, t->n_bytes, n);
    if (k < 0) return k;
    memcpy(t->bytes + t->n_bytes, p, n);
    t->word[at] = (word_place){h, head, t->n_bytes, (uint32_t)n, k};
    t->n_bytes += n;
    t->used++;
    return k;
}

static inline int32_t gram_term(term_table *t, int32_t before, int32_t last) {
    if (2 * (t->grams.used + 1) > t->grams.mask && widen_places(&t->grams)) return NO_MEMORY;
    uint64_t h = mixed((uint64_t)before << 32 | (uint32_t)last, 0);
    h ^= h >> 29;
    h = h ? h : 1;
    size_t at = h & t->grams.mask;
    for (; t->grams.hash[at]; at = (at + 1) & t->grams.mask) {
        if (t->grams.hash[at] != h) continue;
        const int32_t k = t->grams.term[at];
        if (t->before[k] == before && t->state[k].last == last) return k;
    }
    const int32_t k = new_term(t, before, last, 0, 0);
    if (k < 0) return k;
    t->grams.hash[at] = h;
    t->grams.term[at] = k;
    t->grams.used++;
    return k;
}

static inline int count_term(term_table *t, int32_t k) {
    term_state *state = &t->state[k];
    if (state->stamp == t->document) {
        t->count[state->place]++;
        return 0;
    }
    if (t->n_counts == t->room_counts) {
        size_t room = t->room_counts;
        if (room_for((void **)&t->id, &room, t->n_counts + 1, sizeof *t->id)) return -1;
        if (room_for((void **)&t->count, &t->room_counts, t->n_counts + 1, sizeof *t->count))
            return -1;
    }
    state->stamp = t->document;
    state->place = (int32_t)t->n_counts;
    t->id[t->n_counts] = k;
    t->count[t->n_counts++] = 1;
    return 0;
}

static void free_table(term_table *t) {
    free(t->word); free(t->grams.hash); free(t->grams.term); free(t->bytes); free(t->start);
    free(t->length); free(t->before); free(t->state); free(t->id); free(t->count); free(t->token);
    memset(t, 0, sizeof *t);
}

#endif
