#!/usr/bin/env bash
# Builds the documentation site: build.sh PROGRAM REPOSITORY FOLDER VERSION. Exit code 77 where a tool is missing.
set -euo pipefail
program=$1 root=$2 folder=$3
export CRITSCALE_VERSION=$4
python=/usr/bin/python3
[ -x "$python" ] || python=python3
missing() { echo "skipped: $1 is not installed"; exit 77; }
command -v doxygen >/dev/null || missing doxygen
"$python" -c 'import sphinx' 2>/dev/null || missing "Sphinx (python3-sphinx)"
"$python" -c 'import myst_parser' 2>/dev/null || missing "MyST (python3-myst-parser)"
"$python" -c 'import breathe' 2>/dev/null || missing "Breathe (python3-breathe)"
export PYTHONPATH=$(dirname "$program")/python
"$python" -c 'import critscale' || missing "the Python package"

rm -rf "$folder/source"
mkdir -p "$folder/source" "$folder/doxygen"
cp "$root"/docs/*.md "$root/docs/conf.py" "$root"/provers/THEORY*.md "$folder/source/"
cp "$root/provers/CERTIFICATES.md" "$folder/source/certificates.md"
cp -r "$root/cases/figures" "$folder/source/figures"
cp -r "$root/docs/random-keys" "$root/docs/attention" "$folder/source/"
cp "$root/cases/figures/curves-inner_products0.png" "$folder/source/"
{ echo "# Options"; echo; echo "From the program's own description; every command has \`--help\`."; echo
  "$program" describe markdown; } > "$folder/source/options.md"

cd "$folder/doxygen"
{ echo "INPUT = $root/lib/critscale"; echo "RECURSIVE = YES"; echo "FILE_PATTERNS = *.hpp"; echo "GENERATE_HTML = NO"
  echo "GENERATE_LATEX = NO"; echo "GENERATE_XML = YES"; echo "XML_PROGRAMLISTING = NO"; echo "QUIET = YES"
  echo "WARN_IF_UNDOCUMENTED = NO"; echo "WARN_IF_DOC_ERROR = NO"; echo "MARKDOWN_SUPPORT = NO"
  echo "OUTPUT_DIRECTORY = ."; } > Doxyfile
doxygen Doxyfile > doxygen.log 2>&1 || { cat doxygen.log; exit 1; }
export CRITSCALE_DOXYGEN=$folder/doxygen/xml
cd "$folder"
"$python" -m sphinx -q -W --keep-going -b html source html
echo "the documentation is in $folder/html/index.html"
