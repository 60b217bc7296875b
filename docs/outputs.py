"""Runs the commands that the documentation shows, and compares what they print with what the pages say.

Usage: outputs.py PROGRAM REPOSITORY PAGE... [--write]

A command is a line `$ ...` (with its here-document, if it has one) in a block fenced as `console`; in README.md also in an indented block, where it calls
critscale. What follows is its output; a line `...` stands for any lines. The commands of one page run one after the
other in one empty folder with a link `cases` to the repository's cases. With --write, pages are given the output
that was seen.
"""
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def blocks(lines):
    """(indentation, first line, end) of every block that holds commands."""
    i = 0
    while i < len(lines):
        if lines[i].startswith("```console"):
            end = next(k for k in range(i + 1, len(lines)) if lines[k].startswith("```"))
            yield "", i + 1, end
            i = end
        elif lines[i].startswith("    $ critscale "):
            end = i + 1
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            while not lines[end - 1].strip():
                end -= 1
            yield "    ", i, end
            i = end
        i += 1


def commands(lines, indent, first, end):
    """(command, first line of its output, end of its output)."""
    starts = [k for k in range(first, end) if lines[k].startswith(indent + "$ ")]
    for k, start in enumerate(starts):
        stop = starts[k + 1] if k + 1 < len(starts) else end
        command, at = lines[start][len(indent) + 2:], start + 1
        if here := re.search(r"<<'(\w+)'", command):
            while lines[at - 1][len(indent):] != here[1]:
                command, at = command + "\n" + lines[at][len(indent):], at + 1
        yield command, at, stop


def run(command, folder, environment):
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)
    text = done.stdout + done.stderr
    if done.returncode not in (0, 1):
        text += f"(exit code {done.returncode})\n"
    return [line.rstrip() for line in text.splitlines()]


def agrees(shown, seen):
    pattern = "".join("(?:.*\n)*?" if line.strip() == "..." else re.escape(line) + "\n" for line in shown)
    return re.fullmatch(pattern, "".join(line + "\n" for line in seen)) is not None


def check_page(page, environment, root, write):
    lines = page.read_text(encoding="utf-8").split("\n")
    wrong, count, replacements = [], 0, []
    with tempfile.TemporaryDirectory(prefix="critscale-docs-") as folder:
        os.symlink(root / "cases", Path(folder) / "cases")
        for indent, first, end in blocks(lines):
            for command, start, stop in commands(lines, indent, first, end):
                shown = [line[len(indent):].rstrip() for line in lines[start:stop]]
                seen = run(command, folder, environment)
                count += 1
                if agrees(shown, seen):
                    continue
                wrong.append(f"{page.name}: $ {command}\n--- shown\n" + "\n".join(shown) + "\n--- seen\n" + "\n".join(seen))
                replacements.append((start, stop, [indent + line if line else "" for line in seen]))
    if write:
        for start, stop, seen in reversed(replacements):
            lines[start:stop] = seen
        page.write_text("\n".join(lines), encoding="utf-8")
    return wrong, count


def main():
    arguments = [a for a in sys.argv[1:] if a != "--write"]
    for needed in ("numpy", "pytest"):  # the tutorials use both
        if importlib.util.find_spec(needed) is None:
            print(f"skipped: Python has no {needed}")
            sys.exit(77)
    program, root = Path(arguments[0]).resolve(), Path(arguments[1]).resolve()
    build = program.parent
    environment = dict(os.environ, PATH=f"{build}:/usr/bin:{os.environ['PATH']}", LC_ALL="C.UTF-8", COLUMNS="100",
                       PYTHONPATH=str(build / "python"))  # fmt: skip
    failures = total = 0
    for name in arguments[2:]:
        wrong, count = check_page(Path(name), environment, root, "--write" in sys.argv)
        failures, total = failures + len(wrong), total + count
        for message in wrong:
            print(message, end="\n\n")
    print(f"{total} commands, {failures} with another output than the pages show")
    if total == 0:
        sys.exit("no commands were found")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
