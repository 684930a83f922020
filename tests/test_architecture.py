"""Who may know whom, and how large things may grow."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DATA = sorted((ROOT / "data").rglob("*.py"))
ANALYSIS = sorted((ROOT / "analysis").rglob("*.py"))
PAGES = sorted((ROOT / "pages").rglob("*.py"))
APP = ROOT / "app.py"
# As statements begin; words of the interface are sentences with a capital letter.
SQL = re.compile(
    r"\s*(SELECT|select|INSERT\s+INTO|insert\s+into|DELETE\s+FROM|delete\s+from|UPDATE|update|WITH|CREATE|create\s+table)\s"
)
EVERYTHING = [*DATA, *ANALYSIS, *PAGES, APP]


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(nodes) -> set[str]:
    """Top-level names of all modules imported among these nodes."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.split(".")[0])
    return found


def imported_anywhere(path: Path) -> set[str]:
    return imports(ast.walk(tree(path)))


def imported_at_module_level(path: Path) -> set[str]:
    """What is imported as soon as the module is: not inside functions, not under TYPE_CHECKING."""

    def outside(node):
        for child in ast.iter_child_nodes(node):
            typing_only = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
            if not typing_only and not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                yield child
                yield from outside(child)

    return imports(outside(tree(path)))


def test_there_is_something_to_check():
    assert len(DATA) > 10
    assert len(ANALYSIS) > 20
    assert len(PAGES) > 5
    assert APP.exists()
    assert "numpy" in imported_anywhere(ROOT / "analysis" / "model" / "cashflow.py")
    assert "torch" not in imported_at_module_level(ROOT / "analysis" / "model" / "cashflow.py")


@pytest.mark.parametrize("path", ANALYSIS, ids=name)
def test_analysis_knows_neither_the_store_nor_the_screen(path):
    forbidden = {"streamlit", "duckdb", "pages", "app", "tests"}
    if path != ROOT / "analysis" / "__main__.py":
        forbidden |= {"data"}
    assert not imported_anywhere(path) & forbidden


@pytest.mark.parametrize("path", DATA, ids=name)
def test_data_knows_neither_the_analysis_nor_the_screen(path):
    assert not imported_anywhere(path) & {"streamlit", "analysis", "torch", "plotly", "pages", "app", "tests"}


@pytest.mark.parametrize("path", [*ANALYSIS, *PAGES, APP], ids=name)
def test_only_data_opens_the_store(path):
    assert "duckdb" not in imported_anywhere(path)


@pytest.mark.parametrize("path", [*PAGES, APP], ids=name)
def test_pages_hold_no_sql(path):
    texts = [n.value for n in ast.walk(tree(path)) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    assert not [text for text in texts if SQL.match(text)]
    calls = [n.func.attr for n in ast.walk(tree(path)) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    assert not {"execute", "executemany", "cursor", "transaction", "sql"} & set(calls)


def test_sql_is_recognised():
    assert SQL.match("\n  select a, b\n from runs")
    assert SQL.match("INSERT INTO runs VALUES (1)")
    assert not SQL.match("Select a model from the list")


@pytest.mark.parametrize("path", [*PAGES, APP, *ANALYSIS], ids=name)
def test_torch_is_imported_where_it_is_used(path):
    assert "torch" not in imported_at_module_level(path)


@pytest.mark.parametrize("path", [*PAGES, APP], ids=name)
def test_pages_calculate_nothing_with_torch(path):
    assert "torch" not in imported_anywhere(path)


@pytest.mark.parametrize("path", EVERYTHING, ids=name)
def test_nothing_below_imports_a_page(path):
    if path in PAGES and path.parent.name == "components":
        pages = {p.stem for p in PAGES if p.parent == ROOT / "pages"} - {"__init__"}
        modules = [n.module or "" for n in ast.walk(tree(path)) if isinstance(n, ast.ImportFrom)]
        assert not [m for m in modules if m in {f"pages.{stem}" for stem in pages}]
    elif path not in PAGES and path != APP:
        assert not imported_anywhere(path) & {"pages", "app"}


@pytest.mark.parametrize("path", EVERYTHING, ids=name)
def test_modules_and_functions_stay_small(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno - node.lineno + 1 <= 60, node.name


@pytest.mark.parametrize("path", [p for p in PAGES if p.parent == ROOT / "pages"], ids=name)
def test_a_page_is_a_thin_script(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 150


def public(module: ast.Module):
    """Public functions and classes, and the public methods of public classes."""
    for node in module.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node.name, node
            if isinstance(node, ast.ClassDef):
                for inner in node.body:
                    if isinstance(inner, ast.FunctionDef) and not inner.name.startswith("_"):
                        yield f"{node.name}.{inner.name}", inner


@pytest.mark.parametrize("path", [*DATA, *ANALYSIS], ids=name)
def test_what_is_public_says_what_it_does(path):
    module = tree(path)
    source = path.read_text(encoding="utf-8")
    assert ast.get_docstring(module) or not source.strip(), "the module itself"
    assert [label for label, node in public(module) if not ast.get_docstring(node)] == []


def test_no_file_names_the_folder_it_was_made_in():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    files = [ROOT / path for path in listed.stdout.decode().split("\0") if path]
    texts = {name(path): path.read_bytes() for path in files if path.is_file()}
    assert len(texts) > 50
    # The place where it was made; joined here, so that this file does not name it either.
    private = b"/" + b"work" + b"/"
    assert [path for path, content in texts.items() if b"\0" not in content and private in content] == []
