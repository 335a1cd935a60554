/* SPDX-License-Identifier: BSD-3-Clause */
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)
float sqrtf(float), fabsf(float);
double sqrt(double), fabs(double), exp(double), log(double), log2(double), log1p(double);
double pow(double, double), floor(double), ceil(double), ldexp(double, int), frexp(double, int *);
double sin(double), cos(double), asin(double), rint(double);
long long llrint(double);
