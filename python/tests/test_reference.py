"""Values of an independent program (tests/reference), through the package."""
from fractions import Fraction

import numpy as np
import pytest
from conftest import ROOT, reference

import critscale

SIMPLEX = {
    "log_partition": "log_partition", "self_weight": "self_weight", "far_weight": ("band_weights", 0),
    "far_mass": ("band_masses", 0), "norm2": "output_norm2", "inner_far": ("inner_products", 0), "eta": "jacobian_norm",
    "participation": "participation", "entropy": "entropy",
}  # fmt: skip
BANDS = {
    **SIMPLEX, "near_weight": ("band_weights", 0), "far_weight": ("band_weights", 1), "near_mass": ("band_masses", 0),
    "far_mass": ("band_masses", 1), "inner_near": ("inner_products", 0), "inner_far": ("inner_products", 1),
}  # fmt: skip


def test_layer_values():
    cases = reference("layer_values.json")["cases"]
    assert len(cases) == 108
    count = 0
    for case in cases:
        given = {key: case[key] for key in ("n", "gamma", "alpha", "q", "d")}
        if case["geometry"] == "simplex":
            found, names = critscale.evaluate(rho=case["rho"], digits=40, **given), SIMPLEX
        else:
            bands = [(case["r"], case["cluster"]), (Fraction(case["rho"]), "n")]
            found, names = critscale.evaluate(bands=bands, digits=40, **given), BANDS
        for key, text in case["values"].items():
            name = names[key]
            value = found[name] if isinstance(name, str) else found[name[0]][name[1]]
            # The reference is rounded to 45 digits, the printed ends to 40 outward.
            assert Fraction(value.to_json()["lo"]) <= Fraction(text) <= Fraction(value.to_json()["hi"]), (case, key)
            assert value.digits == 40
            count += 1
    assert count == 58 * 9 + 50 * 12


@pytest.mark.parametrize("case", reference("tokens/tokens.json")["cases"], ids=lambda c: c["tokens"])
def test_tokens(case):
    array = np.load(ROOT / "tests" / "reference" / "tokens" / case["tokens"])
    found = critscale.tokens(array, gamma=case["gamma"], alpha=case["alpha"], pairs=[(0, 1)], digits=32, enclosures=True)
    layer, values = found["layers"][0], case["values"]

    def close(x, text):
        right = Fraction(text)
        return abs(x.mid - right) + x.rad <= abs(right) / 10**28

    for name in ("rho_min", "rho_max", "rho_mean"):
        assert close(found.geometry[name], values[name]), name
    for name in ("log_partition", "self_weight", "entropy"):
        assert len(layer[name]) == len(values[name])
        assert all(close(x, t) for x, t in zip(layer[name], values[name])), name
    assert close(layer["pairs"][0, 1][1], values["inner_product_01"])
    assert close(layer["angle_ratio"], values["angle_ratio"])
    assert close(layer["jacobian_norm"], values["eta"])


@pytest.mark.parametrize("case", reference("tokens/tokens.json")["cases"], ids=lambda c: c["tokens"])
def test_tokens_as_arrays_contain_the_values(case):
    array = np.load(ROOT / "tests" / "reference" / "tokens" / case["tokens"])
    layer = critscale.tokens(array, gamma=case["gamma"], alpha=case["alpha"])["layers"][0]
    for name in ("log_partition", "self_weight", "entropy"):
        for x, t in zip(layer[name], case["values"][name]):
            assert Fraction(float(x["lo"])) <= Fraction(t) <= Fraction(float(x["hi"]))
            assert x["lo"] <= x["value"] <= x["hi"]
            assert abs(float(x["value"]) - float(Fraction(t))) <= 2e-10 * abs(float(Fraction(t)))
