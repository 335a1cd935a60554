/* SPDX-License-Identifier: BSD-3-Clause */
/* What Python's headers ask of a configuration of 64-bit Windows, where Linux's Python compiles. */
#define MS_WIN32
#define MS_WIN64
#define MS_WINDOWS
#define NT_THREADS
#define HAVE_DECLSPEC_DLL
#define Py_ENABLE_SHARED 1
#define HAVE_IO_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TYPES_H 1
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_TIME_T 8
#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_WCHAR_T 2
#include <stdint.h>
#define HAVE_PY_SSIZE_T 1
typedef int64_t Py_ssize_t;
#define PY_SSIZE_T_MAX INT64_MAX
