# SPDX-License-Identifier: BSD-3-Clause
"""placeholder"""


class FunctionTree:
    pass
