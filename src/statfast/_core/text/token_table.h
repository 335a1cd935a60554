/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of terms: words by their UTF-8 bytes, n-grams of words by the term before and the last
   word. Open addressing with linear probing (D. E. Knuth 1998, The Art of Computer Programming 3,
   6.4), half full at most; hashes take eight bytes at a time. Terms are stamped with the number of
   the last document that counted them, so that nothing is cleared between documents. Functions
   return 0, or -1 if memory runs out. */
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

/* The place of a word, half a cache line, suffices to compare words of up to sixteen bytes. */
typedef struct {
    uint64_t hash; /* 0 is free */
    uint64_t head; /* the first eight bytes; of shorter words all bytes, in some order */
    uint64_t tail; /* the last eight bytes; of shorter words as head */
    uint32_t length;
    int32_t term;
} word_place;

typedef struct {
    int32_t same;  /* the term that it counts as, or NO_TERM */
    int32_t stamp; /* the document that counted it last */
    int32_t place; /* the place of that count */
    int32_t last;  /* of an n-gram: its last word */
} term_state;

typedef struct {
    word_place *word;         /* of each place */
    size_t mask, used;
    term_places grams;
    char *bytes;              /* of all words, one after another */
    size_t n_bytes, room_bytes;
    size_t *start;            /* of each term that is a word: where its bytes start */
    uint32_t *length;         /* the number of these bytes */
    int32_t *before;          /* of each n-gram: the term before its last word; of words -1 */
    term_state *state;        /* of each term */
    int32_t n_terms, room_terms;
    int32_t document;
    int32_t *id, *count;      /* the terms of documents and their counts */
    size_t n_counts, room_counts;
    int32_t *token;           /* terms of the current document */
    size_t n_tokens, room_tokens;
} term_table;

static inline uint64_t mixed(uint64_t a, uint64_t b) {
    uint64_t h = (a ^ (b + 0x9e3779b97f4a7c15u)) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
    return h * 0xc4ceb9fe1a85ec53u;
}

/* The place of a word, still without its term. */
static inline word_place place_of(const char *p, size_t n) {
    word_place w = {.hash = n, .length = (uint32_t)n};
    if (n >= 8) {
        memcpy(&w.head, p, 8);
        memcpy(&w.tail, p + n - 8, 8);
        for (size_t i = 0; i + 8 < n; i += 8) {
            uint64_t piece;
            memcpy(&piece, p + i, 8);
            w.hash = mixed(w.hash, piece);
        }
    } else if (n >= 4) {
        uint32_t first, last;
        memcpy(&first, p, 4);
        memcpy(&last, p + n - 4, 4);
        w.head = w.tail = (uint64_t)last << 32 | first;
    } else if (n) {
        w.head = w.tail = (uint64_t)(uint8_t)p[0] | (uint64_t)(uint8_t)p[n / 2] << 8 |
                          (uint64_t)(uint8_t)p[n - 1] << 16;
    }
    w.hash = mixed(w.hash, w.tail);
    w.hash ^= w.hash >> 29;
    w.hash += !w.hash;
    return w;
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

/* The term of a word of n bytes with this place; it is added if it is new. */
static inline int32_t placed_term(term_table *t, word_place w, const char *p) {
    const size_t n = w.length;
    if (2 * (t->used + 1) > t->mask && widen_words(t)) return NO_MEMORY;
    size_t at = w.hash & t->mask;
    for (; t->word[at].hash; at = (at + 1) & t->mask) {
        const word_place *o = &t->word[at];
        if (o->hash == w.hash && o->length == n && o->head == w.head && o->tail == w.tail &&
            (n <= 16 || !memcmp(t->bytes + t->start[o->term], p, n)))
            return o->term;
    }
    if (room_for((void **)&t->bytes, &t->room_bytes, t->n_bytes + n, 1)) return NO_MEMORY;
    w.term = new_term(t, -1, -1, t->n_bytes, n);
    if (w.term < 0) return w.term;
    memcpy(t->bytes + t->n_bytes, p, n);
    t->word[at] = w;
    t->n_bytes += n;
    t->used++;
    return w.term;
}

/* The term of a word of these bytes, which is added if it is new. */
static inline int32_t word_term(term_table *t, const char *p, size_t n) {
    return placed_term(t, place_of(p, n), p);
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
