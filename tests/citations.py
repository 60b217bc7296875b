"""Every section that code and pages cite by its name, such as [near-simplex], exists; no name stands twice.

Usage: citations.py SOURCE_DIR. Names are the bracketed words at the end of headings and after bold words in provers/*.md
and docs/*.md. A citation is a bracketed word of at least four letters in a comment or a page.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
pages = sorted([*root.glob("provers/*.md"), *root.glob("docs/**/*.md")])
code = [p for folder in ("lib", "provers", "tests", "python", "fuzz", "cases") for ext in ("hpp", "cpp", "py", "v", "toml")
        for p in sorted((root / folder).rglob("*." + ext))]
NAME = r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*"
CITED = re.compile(r"(?<![\w\[`])\[(%s)\](?![\[(\w])" % NAME)
LABEL = re.compile(r"\*\*[^*]+\*\* \[(%s)\]" % NAME)
COMMENT = re.compile(r"(?://|#|\(\*)(.*)")
# Words in brackets that are values in a sentence, not names of sections.
NOT_NAMES = {"empty", "entire", "long", "options"}

named, errors = {}, []
for page in pages:
    for line in page.read_text().splitlines():
        heading = re.match(r"#+ .*\[(%s)\]$" % NAME, line)
        for name in [heading[1]] if heading else LABEL.findall(line):
            if name in named:
                errors.append(f"{page}: [{name}] is also in {named[name]}")
            named[name] = page
cited = 0
for path in [*pages, *code]:
    if "itl" in path.parts or path.name == "citations.py":
        continue
    for number, line in enumerate(path.read_text().splitlines(), 1):
        where = f"{path.relative_to(root)}:{number}"
        if "§" in line:
            errors.append(f"{where}: a section is cited by its number")
        if "../" + "shared" in line:
            errors.append(f"{where}: speaks of a folder outside the repository")
        text = line if path.suffix == ".md" else " ".join(COMMENT.findall(line))
        for name in CITED.findall(text):
            if len(name) < 4 or name in NOT_NAMES:
                continue
            cited += 1
            if name not in named:
                errors.append(f"{where}: no section is named [{name}]")
for error in errors:
    print(error)
print(f"{cited} citations of {len(named)} sections, {len(errors)} wrong")
sys.exit(1 if errors or cited < 100 else 0)
