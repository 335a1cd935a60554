/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>
void *malloc(size_t), *calloc(size_t, size_t), *realloc(void *, size_t), free(void *);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
