"""Text that is not markdown, made safe for places that read markdown."""

import re


def plain(text: str) -> str:
    """Return our own text with dollar signs that are dollars, not formulas."""
    return text.replace("$", "\\$")


def literal(text: str) -> str:
    """Return somebody else's text (a file name, a cell) so that it shows as it is written."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|~$:<>])", r"\\\1", text)
