"""The documentation site: Sphinx reads Markdown through MyST, the Python package, and the library's headers through
Doxygen and Breathe. `cmake --build build/release --target docs` gathers the pages and builds it, warnings as errors."""
import os

project = "Critscale"
author = "The Critscale authors"
copyright = "the Critscale authors; MIT licence"
version = release = os.environ.get("CRITSCALE_VERSION", "")

extensions = ["myst_parser", "sphinx.ext.autodoc", "breathe"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
html_theme = "alabaster"
html_theme_options = {"page_width": "64rem", "description": "Attention at long context with guaranteed error bounds"}
html_sidebars = {"**": ["about.html", "navigation.html", "searchbox.html"]}

autodoc_typehints = "none"
add_module_names = False
breathe_projects = {"critscale": os.environ.get("CRITSCALE_DOXYGEN", "")}
breathe_default_project = "critscale"
breathe_default_members = ()
# Names of other libraries and of aliases are not documented here.
nitpicky = False
suppress_warnings = ["myst.header"]
