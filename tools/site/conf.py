"""The site is made of the Markdown files as they are: make site."""

import pathlib
import re

project = "Jacquard"
author = "The Jacquard Authors"
copyright = "2026 The Jacquard Authors"
root_doc = "README"
include_patterns = ["README.md", "CONTRIBUTING.md", "docs/**.md", "internal/explain/codes/*.md"]
exclude_patterns = ["bin", ".*"]
extensions = ["myst_parser"]
myst_heading_anchors = 4
smartquotes = False
suppress_warnings = ["misc.highlighting_failure"]  # outputs have … where something is left out
html_theme = "furo"
html_title = "Jacquard"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = html_show_sourcelink = html_show_sphinx = False


def contents(readme):
    """The navigation: the list of pages in the README, and what is only for developers."""
    listed = re.findall(r"^- \*\*(\w+):\*\* (.*)$", readme, re.M)
    if not listed:
        raise RuntimeError("README.md: no list of pages under \"Where to go next\"; write its lines as `- **Guides:** [a](a.md) · [b](b.md)`")
    for title, row in listed:
        pages = re.findall(r"\]\(([^)]*)\.md\)", row)
        if title == "Developers":
            internals = sorted(pathlib.Path("docs/internals").glob("*.md"))
            pages += [p for p in (str(f.with_suffix("")) for f in internals) if p not in pages]
        yield "\n```{toctree}\n:hidden:\n:caption: %s\n\n%s\n```\n" % (title, "\n".join(pages))


def setup(app):
    def read(app, name, source):
        if name == "README":
            source[0] += "".join(contents(source[0]))
        if name == "docs/reference/codes":
            source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n/internal/explain/codes/*\n```\n"

    app.connect("source-read", read)
