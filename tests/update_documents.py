"""`python -m tests.update_documents`: write what is generated into the documents (also `make docs`)."""

from tests.documents import DOCUMENTS, markdown_table, with_options


def main() -> None:
    """Rewrite the documents that change."""
    for document in DOCUMENTS:
        before = document.read_text(encoding="utf-8")
        after = with_options(before, markdown_table())
        if after != before:
            document.write_text(after, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
