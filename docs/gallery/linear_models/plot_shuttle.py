# SPDX-License-Identifier: BSD-3-Clause
"""
A published result: the space shuttle's O-rings
===============================================

Twenty-three launches before the Challenger's: temperature at the launch, and whether an O-ring was
damaged (Dalal, Fowlkes and Hoadley 1989, doi:10.2307/2290069). Textbooks give the coefficients
15.0429 and -0.2322.
"""

import matplotlib.pyplot as plt
import numpy as np

from statfast import LogisticRegression

temperature = np.array([
    66, 70, 69, 68, 67, 72, 73, 70, 57, 63, 70, 78, 67, 53, 67, 75, 70, 81, 76, 79, 75, 76, 58,
])[:, None]  # fmt: skip
damaged = np.array([0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1])
model = LogisticRegression().fit(temperature, damaged)
print(model.summary())

# %%
# At 31 degrees Fahrenheit, the Challenger's temperature, damage was all but certain by this model,
# far outside of what had been seen: the interval says so.

line = np.linspace(28, 84, 200)[:, None]
p, ends = model.predict_proba(line, interval="confidence")
figure, ax = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
ax.fill_between(line[:, 0], *ends[:, 1].T, color="#0072B2", alpha=0.2, label="95 % confidence")
ax.plot(line, p[:, 1], color="#0072B2", label="probability of damage")
ax.plot(temperature, damaged, "o", color="0.4", markersize=4, label="launches")
ax.axvline(31, color="#D55E00", linestyle="--", linewidth=1, label="Challenger")
ax.set(xlabel="temperature (°F)", ylabel="probability of damage", ylim=(-0.04, 1.04))
ax.legend(fontsize="small", loc="center right")

plt.show()
