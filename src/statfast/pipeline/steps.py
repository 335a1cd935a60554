# SPDX-License-Identifier: BSD-3-Clause
"""Steps by name or number, and their parameters."""

from types import SimpleNamespace

from statfast._estimator import Estimator


class Steps:
    """Mixin of `Pipeline`: its steps as a sequence and a mapping, and their parameters."""

    steps: list

    def get_params(self, deep=True):
        """Parameters: the steps, and with `deep` each step and its parameters by its name.

        Parameters
        ----------
        deep : bool, default=True

        Returns
        -------
        dict of str to object
        """
        params = {"steps": self.steps}
        if deep and isinstance(self.steps, list | tuple):
            for name, step in (pair for pair in self.steps if _is_pair(pair)):
                params[name] = step
                if hasattr(step, "get_params") and not isinstance(step, type):
                    params.update((f"{name}__{key}", v) for key, v in step.get_params().items())
        return params

    def set_params(self, **params):
        """Set ``steps``, a step by its name, or a parameter of one, ``name__parameter``.

        Parameters
        ----------
        **params : object

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If there is no such step or parameter.
        """
        if "steps" in params:
            self.steps = params.pop("steps")
        nested = {}
        for key, value in params.items():
            name, found, rest = key.partition("__")
            names = [pair[0] for pair in self.steps or ()]
            if name not in names:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator Pipeline. Valid parameters are: "
                    f"{['steps', *names]}."
                )
            if found:
                nested.setdefault(name, {})[rest] = value
            else:
                self.steps = [(n, value if n == name else step) for n, step in self.steps]
        for name, inner in nested.items():
            dict(self.steps)[name].set_params(**inner)
        return self

    @property
    def named_steps(self):
        """The steps as attributes by their names, fitted ones after ``fit``."""
        return SimpleNamespace(**dict(self._present()))

    def __len__(self):
        return len(self.steps or ())

    def __getitem__(self, place):
        steps = self._present()
        if isinstance(place, slice):
            part = type(self)(list(self.steps)[place])
            if "steps_" in self.__dict__:
                part._publish(
                    None, steps_=steps[place], n_features_in_=getattr(
                        steps[place][0][1], "n_features_in_", None
                    ) if steps[place] else None,
                )  # fmt: skip
            return part
        if isinstance(place, str):
            return dict(steps)[place]
        return steps[place][1]

    def _present(self):
        return list(self.__dict__.get("steps_", self.steps))

    def __sklearn_tags__(self):
        tags = Estimator.__sklearn_tags__(self)
        last = self.steps[-1][1] if self.steps else None
        first = next((s for _, s in self.steps or () if s not in (None, "passthrough")), None)
        if hasattr(last, "__sklearn_tags__"):
            told = last.__sklearn_tags__()
            tags.estimator_type = told.estimator_type
            tags.classifier_tags = told.classifier_tags
            tags.regressor_tags = told.regressor_tags
            tags.transformer_tags = told.transformer_tags
            tags.target_tags = told.target_tags
        if hasattr(first, "__sklearn_tags__"):
            tags.input_tags = first.__sklearn_tags__().input_tags
            tags.input_tags.sparse = all(
                step.__sklearn_tags__().input_tags.sparse
                for _, step in self.steps
                if hasattr(step, "__sklearn_tags__")
            )
        return tags


def _is_pair(pair):
    return isinstance(pair, list | tuple) and len(pair) == 2 and isinstance(pair[0], str)
