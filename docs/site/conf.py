"""Settings of the site; scripts/build_docs_site.py puts its pages together."""

import consilience

project = "consilience"
author = "the consilience authors"
release = consilience.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon"]
html_theme = "alabaster"
html_theme_options = {"description": "Multi-view clustering", "page_width": "70em", "sidebar_width": "15em"}
myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath"]
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = False
napoleon_google_docstring = False
napoleon_use_rtype = False
# attributes are in the docstrings of the classes, and say more there
napoleon_use_ivar = True
# code in no language that is known; references, which docstrings number and the text does not name
suppress_warnings = ["misc.highlighting_failure", "ref.footnote"]
