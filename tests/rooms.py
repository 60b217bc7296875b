"""Files include headers of their own folder and of folders below it only; detail/ headers stay out of public ones' reach.

Usage: rooms.py SOURCE_DIR. The folders below each other are those of CONTRIBUTING.md ("Where code belongs"), whose picture of
lib/critscale is read from there; a public header is one outside detail/, and no public header of the library includes a header
of another folder's detail/ that is not installed.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])


def below(picture):
    """folder -> the folders it may use, from lines of 'a, b <- c <- d;'."""
    uses = {}
    for chain in re.split(r"[;\n]", picture):
        steps = [[name.strip() for name in step.split(",") if name.strip()] for step in chain.split("<-")]
        for at, step in enumerate(steps):
            for name in step:
                uses.setdefault(name, set())
                for lower in steps[:at]:
                    uses[name].update(lower)
                # Names in one step follow each other: schedules, tokens, random.
                uses[name].update(step[: step.index(name)])
    changed = True
    while changed:
        changed = False
        for name, lower in uses.items():
            more = set().union(lower, *(uses.get(n, set()) for n in lower))
            if more != lower:
                uses[name], changed = more, True
    return uses


pictures = re.findall(r"((?:^    .*<-.*\n)+)", (root / "CONTRIBUTING.md").read_text(), re.MULTILINE)
if len(pictures) != 2:
    sys.exit(f"CONTRIBUTING.md: expected two pictures of folders, found {len(pictures)}")

errors, read = [], 0
for folder, prefix, picture in (("lib/critscale", "critscale/", pictures[0]), ("provers", "", pictures[1])):
    uses = below(picture)
    for path in sorted([*(root / folder).rglob("*.hpp"), *(root / folder).rglob("*.cpp")]):
        parts = path.relative_to(root / folder).parts
        if len(parts) == 1:
            continue  # the umbrella header, main.cpp
        room = parts[0]
        if room not in uses:
            errors.append(f"{path.relative_to(root)}: the folder {room} is not in CONTRIBUTING.md's picture")
            continue
        read += 1
        for include in re.findall(r'#include "%s([a-z0-9_]+)/([a-z0-9_/]+)\.hpp"' % prefix, path.read_text()):
            if prefix == "" and include[0] == "critscale":
                continue
            if include[0] != room and include[0] not in uses[room]:
                errors.append(f"{path.relative_to(root)}: {room} may not use {include[0]}/{include[1]}.hpp")
            public = path.suffix == ".hpp" and "detail" not in parts
            if public and prefix and "detail" in include[1].split("/"):
                errors.append(f"{path.relative_to(root)}: a public header includes {include[0]}/{include[1]}.hpp")
for error in errors:
    print(error)
print(f"{read} files read")
sys.exit(1 if errors or read < 200 else 0)
