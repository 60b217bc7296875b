"""evaluate at points and on grids: inputs, results, errors, and what is undefined."""
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import critscale
from critscale import InputError, LimitError, UndecidedError, UndefinedError

POINT = dict(rho="1/4", n=1000, gamma="3/2")


def same(a, b):
    return a.self_weight.hex == b.self_weight.hex and a.entropy.hex == b.entropy.hex


@pytest.mark.parametrize(
    "rho", [0.25, Fraction(1, 4), Decimal("0.25"), np.float64(0.25), np.float32(0.25), np.float16(0.25), np.array(0.25)]
)
def test_equal_numbers_give_equal_results(rho):
    assert same(critscale.evaluate(**{**POINT, "rho": rho}), critscale.evaluate(**POINT))


@pytest.mark.parametrize("n", [1000, 1000.0, "1000", "10^3", Fraction(1000), np.int64(1000), np.uint16(1000), Decimal(1000)])
def test_lengths(n):
    assert same(critscale.evaluate(**{**POINT, "n": n}), critscale.evaluate(**POINT))


def test_a_float_is_the_number_it_is():
    tenth = critscale.evaluate(rho=0.1, n=100, gamma=1, digits=40).entropy
    exact = critscale.evaluate(rho=Fraction(0.1), n=100, gamma=1, digits=40).entropy
    decimal = critscale.evaluate(rho="0.1", n=100, gamma=1, digits=40).entropy
    assert tenth.hex == exact.hex
    assert not tenth.overlaps(decimal)


def test_integers_of_any_size():
    big = critscale.evaluate(rho="1/3", n=10**1000, gamma=1, digits=20)
    assert big.log_partition.hex == critscale.evaluate(rho="1/3", n="10^1000", gamma=1, digits=20).log_partition.hex
    assert critscale.evaluate(rho="1/3", n="10^(10^15)", gamma="critical", digits=20).self_weight.value.startswith("0.5")


@pytest.mark.parametrize(
    "wrong",
    [dict(rho=None), dict(rho=b"1/3"), dict(rho=True), dict(rho={}), dict(rho=1j), dict(n=object()), dict(gamma=np.array("x")),
     dict(digits="many"), dict(quantities=[1]), dict(rho=np.complex128(0.5)), dict(bands=[("1/2", "n")])],
)  # fmt: skip
def test_wrong_types(wrong):
    with pytest.raises((TypeError, InputError)):
        critscale.evaluate(**{**POINT, **wrong})


@pytest.mark.parametrize(
    "wrong",
    [dict(rho="1/0"), dict(rho=2), dict(rho=-0.5), dict(rho=float("nan")), dict(rho=Decimal("inf")), dict(rho="0.3."),
     dict(n=1), dict(n=2.5), dict(n=-3), dict(gamma=-1), dict(q=0), dict(alpha=-1), dict(digits=0), dict(d=10),
     dict(quantities="speed"), dict(max_bits=1), dict(beta=1), dict(gamma=None), dict(gamma=np.float64("nan"))],
)  # fmt: skip
def test_numbers_without_meaning(wrong):
    with pytest.raises(InputError) as caught:
        critscale.evaluate(**{**POINT, **wrong})
    assert isinstance(caught.value, ValueError) and "\n" not in str(caught.value)


def test_limits_and_undefined_quantities():
    with pytest.raises(LimitError) as caught:
        critscale.evaluate(rho="1/3", n=1000, gamma=1, digits=50, max_bits=64)
    assert isinstance(caught.value, ArithmeticError)
    tied = critscale.evaluate(rho=1, n=10, gamma=1)
    assert "angle_ratio" in tied.undefined and "angle_ratio" not in tied
    with pytest.raises(UndefinedError):
        tied.angle_ratio
    with pytest.raises(AttributeError):
        tied.speed
    with pytest.raises(KeyError):
        tied["speed"]


def test_boxes():
    box = critscale.evaluate(rho=critscale.box("3/10", 0.4), n=1000, gamma=1, quantities="entropy").entropy
    for rho in ("3/10", "7/20", 0.4):
        assert box.contains(critscale.evaluate(rho=rho, n=1000, gamma=1).entropy)


def test_bands_and_beta():
    bands = [(Fraction(4, 5), "n^(1/2)"), (0.25, "n")]
    e = critscale.evaluate(bands=bands, n=10**6, gamma="critical", digits=20)
    assert len(e.inner_products) == 2
    by_beta = critscale.evaluate(rho="1/4", n=1000, beta="3/2*log n")
    assert same(by_beta, critscale.evaluate(**POINT))
    with pytest.raises((TypeError, InputError)):
        critscale.evaluate(bands=[("4/5",)], n=10**6, gamma=1)


def test_enclosures():
    x = critscale.evaluate(rho="1/3", n=1000, gamma=1, digits=15).self_weight
    assert isinstance(x.lo, Fraction) and x.lo < x.hi and x.mid == (x.lo + x.hi) / 2 and x.rad == (x.hi - x.lo) / 2
    assert x.contains(x.mid) and x.contains(x.lo) and not x.contains(x.hi + 1) and x.contains(x)
    assert x < 1 and x > 0 and x <= Decimal(1) and x >= 0.0 and x != 5 and 1 > x and bool(x)
    assert not (x > 1) and not (x == 2)
    for compare in (lambda: x < x, lambda: x == x.mid, lambda: x < x.mid, lambda: x >= x.mid):
        with pytest.raises(UndecidedError):
            compare()
    with pytest.raises(TypeError):
        x < "1"
    with pytest.raises(TypeError):
        hash(x)
    assert x.decimal() == Decimal(x.value) and abs(Fraction(x.value) - x.mid) <= Fraction(1, 10**15)
    assert float(x) == float(x.mid)
    again = pickle.loads(pickle.dumps(x))
    assert again.hex == x.hex and again.to_json() == x.to_json()
    half = critscale.evaluate(rho=0, n=2, gamma=0).self_weight
    assert half == 0.5 and half.exact and half.rad == 0 and float(half) == 0.5
    zero = critscale.evaluate(rho=1, n=2, gamma=0).beta
    assert zero == 0 and not zero


def test_ends_too_small_for_fractions():
    x = critscale.evaluate(rho="1/3", n="10^(10^15)", gamma=3, digits=10, quantities="band_weights").band_weights[0]
    assert x > 0 and x < Fraction(1, 10**100)
    assert x.value.endswith("e-1999999999999999") or "e-" in x.value
    with pytest.raises(LimitError):
        x.lo
    assert float(x) == 0.0


def test_grids_contain_the_points():
    rho, gamma = np.linspace(0.1, 0.9, 5)[:, None], np.array([0.5, 1.0, 2.0])
    grid = critscale.evaluate(rho=rho, n=1000, gamma=gamma)
    assert grid.shape == (5, 3) and grid.entropy.shape == (5, 3) and grid.inner_products.shape == (5, 3, 1)
    for i in range(5):
        for j in range(3):
            e = critscale.evaluate(rho=float(rho[i, 0]), n=1000, gamma=float(gamma[j]), digits=40)
            for name in ("entropy", "self_weight", "jacobian_norm", "beta"):
                lo, hi, value = (Fraction(float(grid[name][f][i, j])) for f in ("lo", "hi", "value"))
                assert lo <= e[name].lo and e[name].hi <= hi and lo <= value <= hi
                assert hi - lo <= abs(value) / 2**50
            assert grid.inner_products["lo"][i, j, 0] <= float(e.inner_products[0]) <= grid.inner_products["hi"][i, j, 0]


def test_grids_of_other_kinds():
    exact = critscale.evaluate(rho=["1/3", Fraction(1, 2)], n=[100, 10**6], gamma="critical", quantities=["self_weight"])
    assert exact.shape == (2,) and set(exact) == {"self_weight", "beta"}
    bands = critscale.evaluate(bands=[("4/5", "n^(1/2)"), ("1/5", "n")], n=10**6, gamma=[0.5, 1], quantities="band_masses")
    assert bands.band_masses.shape == (2, 2)
    tied = critscale.evaluate(rho=[1, 0.5], n=10, gamma=1, quantities="angle_ratio")
    assert np.isnan(tied.angle_ratio["value"]).tolist() == [True, False]
    empty = critscale.evaluate(rho=np.array([]), n=10, gamma=1)
    assert empty.entropy.shape == (0,) and empty.inner_products.shape == (0, 1)
    # Values beyond binary64 are enclosed by its ends.
    tiny = critscale.evaluate(rho=[0.25], n="10^1000", gamma=3, quantities="band_weights")
    assert tiny.band_weights["lo"][0, 0] == 0 and tiny.band_weights["hi"][0, 0] == 5e-324


@pytest.mark.parametrize("view", [lambda a: a[::2], lambda a: a.astype(">f8")[::2], lambda a: a.astype("f4")[::2],
                                  lambda a: np.asfortranarray(np.tile(a, (2, 1)).T)[::2, 0]])  # fmt: skip
def test_arrays_in_any_layout(view):
    rho = np.array([0.125, 9.0, 0.25, 9.0, 0.5, 9.0])
    wanted = critscale.evaluate(rho=[0.125, 0.25, 0.5], n=100, gamma=1).entropy
    assert (critscale.evaluate(rho=view(rho), n=100, gamma=1).entropy == wanted).all()


def test_bad_grids():
    with pytest.raises(InputError):
        critscale.evaluate(rho=[0.5, float("nan")], n=10, gamma=1)
    with pytest.raises(InputError):
        critscale.evaluate(rho=[0.5, 2], n=10, gamma=1)
    with pytest.raises(ValueError):
        critscale.evaluate(rho=[0.5, 0.25], n=[10, 20, 30], gamma=1)
    with pytest.raises(TypeError):
        critscale.evaluate(rho=["1/3", None], n=10, gamma=1)


def test_what_notebooks_show():
    assert "<code" in critscale.evaluate(**POINT).entropy._repr_html_()
    assert "<table" in critscale.evaluate(rho=[0.5], n=10, gamma=1)._repr_html_()
    assert "<table" in critscale.limit(rho="1/3", gamma=1, quantities="entropy")._repr_html_()
