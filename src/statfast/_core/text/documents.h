/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting the terms of a document in UTF-8: words, n-grams of words, n-grams of characters. */
#ifndef STATFAST_DOCUMENTS_H
#define STATFAST_DOCUMENTS_H

#include "simd/compiler.h"
#include "text/token_table.h"

static inline int push_token(term_table *t, int32_t k) {
    if (room_for((void **)&t->token, &t->room_tokens, t->n_tokens + 1, sizeof *t->token)) return -1;
    t->token[t->n_tokens++] = k;
    return 0;
}

static inline int32_t decoded(const uint8_t **at, const uint8_t *end) {
    const uint8_t *p = *at;
    const int more = p[0] < 0xe0 ? 1 : p[0] < 0xf0 ? 2 : 3;
    int32_t c = p[0] & (0x3f >> more);
    for (int i = 1; i <= more && p + i < end; i++) c = c << 6 | (p[i] & 0x3f);
    *at = p + more + 1;
    return c;
}

static inline int encoded(int32_t c, char *out) {
    if (c < 0x80) { out[0] = (char)c; return 1; }
    if (c < 0x800) { out[0] = (char)(0xc0 | c >> 6); out[1] = (char)(0x80 | (c & 0x3f)); return 2; }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3f));
        out[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3f));
    out[2] = (char)(0x80 | (c >> 6 & 0x3f));
    out[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

#define WORDS_AHEAD 16 /* words whose places in the table are prefetched before they are compared */

typedef struct {
    word_place place;
    const char *bytes;
} waiting_word;

static inline int push_word(term_table *t, const waiting_word *w) {
    const int32_t k = placed_term(t, w->place, w->bytes);
    if (k == NO_MEMORY || push_token(t, k)) return -1;
    FETCH(&t->state[k]);
    return 0;
}

/* Push the words of a document: runs of at least `least` characters whose letter[] is not 0, which
   are replaced by letter[]. `room` has room for twice the bytes of the document. */
static int words_of(term_table *t, const uint8_t *p, const uint8_t *end, const int32_t *letter,
                    const uint8_t *ascii, int least, char *room) {
    waiting_word waiting[WORDS_AHEAD];
    size_t n_words = 0, kept = 0;
    while (p < end) {
        size_t n = 0;
        int characters = 0;
        while (p < end) {
            if (*p < 0x80) {
                const uint8_t c = ascii[*p++];
                if (!c) break;
                room[n++] = (char)c;
            } else {
                const int32_t c = letter[decoded(&p, end)];
                if (!c) break;
                n += (size_t)encoded(c, room + n);
            }
            characters++;
        }
        if (characters < least) continue;
        waiting_word *w = &waiting[n_words % WORDS_AHEAD];
        if (n_words++ >= WORDS_AHEAD && push_word(t, w)) return -1;
        *w = (waiting_word){place_of(room, n), room};
        if (t->word) FETCH(&t->word[w->place.hash & t->mask]);
        room += n;
    }
    for (size_t i = n_words > WORDS_AHEAD ? n_words - WORDS_AHEAD : 0; i < n_words; i++)
        if (push_word(t, &waiting[i % WORDS_AHEAD])) return -1;
    for (size_t i = 0; i < t->n_tokens; i++) {
        const int32_t k = t->state[t->token[i]].same;
        if (k != NO_TERM) t->token[kept++] = k;
    }
    t->n_tokens = kept;
    return 0;
}
#undef WORDS_AHEAD

/* Count the n-grams of the tokens of a document. */
static int count_grams(term_table *t, int low, int high) {
    for (size_t i = 0; i < t->n_tokens; i++) {
        int32_t k = t->token[i];
        if (low <= 1 && count_term(t, k)) return -1;
        for (int n = 2; n <= high && i + (size_t)n <= t->n_tokens; n++) {
            k = gram_term(t, k, t->token[i + (size_t)n - 1]);
            if (k == NO_MEMORY) return -1;
            if (n >= low && count_term(t, k)) return -1;
        }
    }
    return 0;
}

/* Count the n-grams of the characters of a text. */
static int count_characters(term_table *t, const uint8_t *p, const uint8_t *end, int low, int high,
                            int once) {
    for (int n = low; n <= high; n++) {
        const uint8_t *from = p, *to = p;
        int have = 0;
        while (to < end && have < n) {
            for (to++; to < end && (*to & 0xc0) == 0x80;) to++;
            have++;
        }
        if (have < n && !(once && have)) break;
        for (;;) {
            const int32_t k = word_term(t, (const char *)from, (size_t)(to - from));
            if (k == NO_MEMORY || count_term(t, k)) return -1;
            if (to >= end) break;
            for (from++; (*from & 0xc0) == 0x80;) from++;
            for (to++; to < end && (*to & 0xc0) == 0x80;) to++;
        }
        if (once && from == p) break; /* a short word is counted once */
    }
    return 0;
}

#endif
