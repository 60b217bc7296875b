"""`critscale report`: pages of proofs, tables, results and checks are whole and need no other file; in a real browser
they draw, sort, filter and can be used from the keyboard.

Usage: report.py PROGRAM FOLDER. Exit code 77 where there is no browser, after everything else has been checked.
"""
import html.parser
import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import webdriver

CLAIMS = """
[[claim]]
id = "boundary"
theorem = "boundary"
rho = ["1/3"]
mu = "1/10"
N = "1000"
n = ["10^3", "10^4", "10^6"]

[[claim]]
id = "values"
theorem = "partition"
kind = "value"
rho = "1/3"
n = ["10^6", "10^4"]
gamma = "3/2"
quantities = ["self_weight"]
digits = 20

[[claim]]
id = "tail"
theorem = "partition"
rho = { box = ["1/4", "1/2"] }
gamma_ratio = "1"
alpha = "0"
q = "1"
N = "1000"
quantity = ["self_weight", "log_partition"]

[[claim]]
id = "false"
theorem = "partition"
kind = "value"
rho = "1/3"
n = "10^6"
gamma = "3/2"
quantities = ["self_weight"]
lo = "0"
hi = "1/100"
"""

HOSTILE = '''
[[case]]
id = "a</script><script>document.title='x'</script>&\\"'<b>"
op = "softmax"
logits = ["0 1"]
'''

VOID = {"meta", "link", "input", "br", "hr", "img"}


class Reader(html.parser.HTMLParser):
    """Every element is closed, no id twice, nothing loaded from elsewhere."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.loads, self.counts = [], set(), [], {}

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.counts[tag] = self.counts.get(tag, 0) + 1
        if "id" in given:
            assert given["id"] not in self.ids, f"id {given['id']} twice"
            self.ids.add(given["id"])
        for key in ("src", "href", "data", "poster"):
            if key in given and not re.match(r"#|data:|certificates/", given[key]):
                self.loads.append(given[key])
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()


def read_page(path):
    text = path.read_text(encoding="utf-8")
    reader = Reader()
    reader.feed(text)
    assert not reader.open, reader.open
    assert not reader.loads, reader.loads
    assert "@import" not in text and "url(" not in text
    return text, reader


def main():
    program, folder = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)

    def run(*arguments, code=0):
        done = subprocess.run([program, "--quiet", *map(str, arguments)], capture_output=True, text=True, cwd=folder)
        assert done.returncode == code, (arguments, done.returncode, done.stderr)
        return done

    (folder / "claims.toml").write_text(CLAIMS)
    run("prove", "claims.toml", "-o", "proofs", code=1)
    run("report", "proofs", "-o", "proofs.html")
    text, reader = read_page(folder / "proofs.html")
    verdicts = json.loads((folder / "proofs" / "verdicts.json").read_text())["verdicts"]
    assert text.count("<tr data-group") == len(verdicts) >= 6
    assert reader.counts["math"] > len(verdicts) and "refuted" in text and 'class="plot"' in text
    for row in verdicts:
        if "certificate" in row:
            assert f'href="{row["certificate"]}"' in text

    run("table", "--rho", "1/10:9/10:9", "--n", "10^6", "--gamma", "1/2:3:6", "--quantities", "self_weight",
        "--quantities", "entropy", "--digits", "8", "-o", "grid.csv")  # fmt: skip
    run("report", "grid.csv", "-o", "grid.html")
    assert read_page(folder / "grid.html")[1].counts["svg"] == 2
    run("eval", "--rho", "1/3", "--n", "100:10^8:*10", "--gamma", "1", "--gamma", "2", "--format", "json", "-o", "curve.json")
    run("report", "curve.json", "-o", "curve.html")
    assert 'class="plot"' in read_page(folder / "curve.html")[0]

    (folder / "hostile.toml").write_text(HOSTILE)
    run("table", "hostile.toml", "-o", "hostile.csv")
    question = json.loads(run("check", "hostile.csv", "--questions").stdout)
    (folder / "answers.json").write_text(json.dumps([{"id": question["id"], "value": ["0.5", "0.5"]}]))
    run("check", "hostile.csv", "answers.json", "--format", "json", "-o", "check.json", code=1)
    run("report", "check.json", "-o", "check.html")
    text, reader = read_page(folder / "check.html")
    assert "<b>&" not in text and reader.counts["script"] == 1 and "does not conform" in text
    run("report", "proofs", "grid.csv", "check.json", "-o", "all.html")
    read_page(folder / "all.html")

    # Bad input is one line, and replaces nothing.
    (folder / "bad.json").write_text('{"verdicts": 3}')
    (folder / "empty").mkdir()
    for source in ("bad.json", "nowhere.json", "empty", "claims.toml"):
        done = run("report", source, "-o", "bad.html", code=2)
        assert done.stderr.count("\n") == 1 and not (folder / "bad.html").exists(), done.stderr
    run("report", "grid.csv", "-o", "grid.html", code=2)
    print("pages are whole")

    browser = webdriver.Browser.start(folder)
    if browser is None:
        print("skipped the browser: chromium or chromedriver is not installed")
        sys.exit(77)
    try:
        in_browser(browser, folder)
    finally:
        browser.stop()


def ink(browser):
    """The share of pixels drawn of every plot."""
    return browser.run(
        "return [...document.querySelectorAll('.plot canvas')].map(c => {"
        "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let n = 0;"
        "for (let i = 3; i < d.length; i += 4) if (d[i]) ++n; return n / (c.width * c.height); })"
    )


def in_browser(browser, folder):
    column = "[...document.querySelectorAll('#{} tbody tr')].filter(r => !r.hidden).map(r => r.cells[{}].dataset.key ?? r.cells[{}].textContent)"
    for width, height in ((1280, 900), (390, 844)):
        browser.size(width, height)
        begun = time.monotonic()
        browser.open(folder / "proofs.html")
        assert time.monotonic() - begun < 20
        assert all(share > 0.005 for share in ink(browser)) and len(ink(browser)) >= 1, ink(browser)
        # Nothing is wider than the window.
        assert browser.run("return document.documentElement.scrollWidth <= innerWidth + 1"), width
        browser.picture(folder / f"proofs-{width}.png")
    browser.size(1280, 900)
    browser.open(folder / "proofs.html")
    get = f"return {column.format('verdicts', 0, 0)}"
    before = browser.run(get)
    browser.run("document.querySelector('#verdicts th button').click()")
    rising = browser.run(get)
    browser.run("document.querySelector('#verdicts th button').click()")
    assert rising == sorted(before) and browser.run(get) == rising[::-1]
    assert browser.run("return document.querySelector('#verdicts th').ariaSort || document.querySelector('#verdicts th').getAttribute('aria-sort')") == "descending"
    browser.run("const f = document.querySelector('[data-filter=verdicts]'); f.value = 'refuted'; f.dispatchEvent(new Event('input'))")
    assert 0 < len(browser.run(get)) < len(before)
    assert browser.run("return document.querySelector('[data-count=verdicts]').textContent").startswith(str(len(browser.run(get))))
    # From the keyboard: the first column's button sorts by Enter, the arrow keys move along a curve.
    browser.run("const f = document.querySelector('[data-filter=verdicts]'); f.value = ''; f.dispatchEvent(new Event('input'));"
                "document.querySelector('#verdicts th button').focus()")  # fmt: skip
    browser.type("\ue007")
    assert browser.run(get) == rising
    browser.run("document.querySelector('.plot').focus()")
    browser.type("\ue014")
    shown = browser.run("return document.querySelector('.plot .u-legend').textContent")
    assert re.search(r"\d", shown), shown
    # Dark: the ground changes, and the plots are drawn again.
    ground = "return getComputedStyle(document.body).backgroundColor"
    light = browser.run(ground)
    browser.run("const b = document.getElementById('theme'); b.click(); b.click()")
    time.sleep(0.5)
    assert browser.run(ground) != light and all(share > 0.005 for share in ink(browser))
    for page in ("grid", "curve", "check", "all"):
        browser.open(folder / f"{page}.html")
        browser.picture(folder / f"{page}.png")
        assert all(share > 0.005 for share in ink(browser)), page
        assert browser.run("return document.title").startswith("Critscale"), page
    browser.open(folder / "grid.html")
    browser.run("[...document.querySelectorAll('#numbers th button')].at(-1).click()")
    last = browser.run("return [...document.querySelectorAll('#numbers tbody tr')].map(r => Number([...r.cells].at(-1).dataset.key))")
    assert last == sorted(last) and len(set(last)) > 10
    errors = browser.errors()
    assert not errors, errors
    print(f"in the browser: drawn, sorted, filtered, no errors; pictures in {folder}")


if __name__ == "__main__":
    main()
