/* SPDX-License-Identifier: BSD-3-Clause */
typedef union { long long QuadPart; } LARGE_INTEGER;
int QueryPerformanceCounter(LARGE_INTEGER *), QueryPerformanceFrequency(LARGE_INTEGER *);
int SwitchToThread(void);
void YieldProcessor(void);
