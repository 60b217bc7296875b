"""The functions that run the program, on small inputs; their errors; certificates; tables and checks."""
import json
from fractions import Fraction

import numpy as np
import pytest

import critscale
from critscale import Enclosure, InputError


def test_limit_and_boundary():
    r = critscale.limit(rho=Fraction(1, 3), gamma="critical", quantities=["self_weight", "inner_products"])
    assert r.phase == "critical" and r.quantities.self_weight.limit == "1/2"
    assert r.quantities["self_weight"].value == Fraction(1, 2)
    several = critscale.limit(rho=["1/3", 0.5], gamma=1, quantities="entropy")
    assert len(several) == 2 and several[1].inputs.rho == "1/2"
    b = critscale.boundary(rho="1/3", n=[10**3, "10^6"], digits=20)
    assert [Fraction(t) for t in b.thresholds] == [Fraction(3, 2)] and len(b.by_n) == 2
    s = critscale.boundary(rho="1/3", n=1000, solve="inner_products=1/2", gamma_range=(0, 3), digits=10)
    assert "solutions" in json.dumps(s, default=str)


def test_schedule_layers_random():
    r = critscale.schedule("ssmax", rho="1/3", coefficient="3/16", logit_scale=8, n=[10**4], digits=10)
    assert r.limit.phase == "critical"
    layers = critscale.layers(5, rho="1/3", n=1000, gamma=2, digits=10)
    assert layers.by_layers[0].layers == 5 and layers.by_layers[0].inner_products[0] < 1
    x = critscale.random(keys="sphere", kappa=2, digits=20)
    assert isinstance(x.thresholds.g_self, Enclosure) and x.thresholds.g_self > 1


@pytest.mark.parametrize(
    "call",
    [lambda: critscale.limit(rho=2, gamma=1), lambda: critscale.limit(rho="x", gamma=1), lambda: critscale.boundary(rho=float("nan")),
     lambda: critscale.limit("/nowhere.toml"), lambda: critscale.schedule("speed", rho="1/3"), lambda: critscale.layers(-1, rho="1/3", n=10, gamma=1),
     lambda: critscale.random(keys="cube", kappa=2), lambda: critscale.table(rho="1/3"), lambda: critscale.check("/nowhere.csv", {}),
     lambda: critscale.verify("/nowhere.json"), lambda: critscale.limit(rho="1/3\0", gamma=1)],
)  # fmt: skip
def test_bad_input(call):
    with pytest.raises(InputError) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("call", [lambda: critscale.limit(rho=None, gamma=[None]), lambda: critscale.limit(rho=True, gamma=1),
                                  lambda: critscale.limit(bands=["1/2"], gamma=1), lambda: critscale.limit(rho={"a": 1}, gamma=1j)])  # fmt: skip
def test_wrong_types(call):
    with pytest.raises((TypeError, InputError)):
        call()


def test_tables(tmp_path):
    place = tmp_path / "t.csv"
    assert critscale.table(rho=["1/4", "1/2"], n=100, gamma=2, quantities="entropy", output=place) is None
    t = critscale.read_table(place)
    assert len(t) == 2 and t.array("entropy.binary64").dtype == np.float64
    exact = critscale.evaluate(rho="1/4", n=100, gamma=2).entropy
    assert exact.lo <= Fraction(t["entropy.hi"][0]) and Fraction(t["entropy.lo"][0]) <= exact.hi
    assert t.array("entropy.binary64")[0] == float(exact)
    with pytest.raises(KeyError):
        t["speed"]
    with pytest.raises(InputError):
        critscale.table(rho="1/4", n=100, gamma=2, output=place)  # it is there already
    assert "<table" in t._repr_html_()
    good = critscale.check(place, dict(zip(t["id"], t.array("entropy.binary64"))))
    bad = critscale.check(place, dict(zip(t["id"], t.array("entropy.binary64") * 1.01)))
    assert good.conforms and not bad.conforms and bad.wrong == 2


CLAIM = """
[[claim]]
id = "value"
theorem = "partition"
kind = "value"
rho = "1/3"
n = "10^6"
gamma = "3/2"
quantities = ["self_weight"]
digits = 20
"""


def test_certificates(tmp_path):
    (tmp_path / "claims.toml").write_text(CLAIM)
    critscale._program.run(["prove", str(tmp_path / "claims.toml"), "-o", str(tmp_path / "out")])
    paths = sorted((tmp_path / "out" / "certificates").glob("*.json"))
    verdicts = critscale.verify(paths)
    assert len(verdicts) == 1 and all(verdicts) and "A_ii" in verdicts[0].statement
    forged = json.loads(paths[0].read_text())
    forged["claim"]["hi"] = forged["claim"]["lo"]
    verdict = critscale.verify(forged)
    assert not verdict and verdict.reason
    assert "accepted" in verdicts._repr_html_() and "rejected" in verdict._repr_html_()
