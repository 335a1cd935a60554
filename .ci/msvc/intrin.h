/* SPDX-License-Identifier: BSD-3-Clause */
long long _InterlockedCompareExchange64(long long volatile *, long long, long long);
long long _InterlockedExchange64(long long volatile *, long long);
long long _InterlockedExchangeAdd64(long long volatile *, long long);
