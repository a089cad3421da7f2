"""What a page shows, read as a person does."""


def rows_of(part):
    """Move -> visits, share and score as they are shown, on a page or a part of it."""
    script = "rows => rows.map(r => [r.dataset.uci, ...['n','share','q'].map(c => r.querySelector('td.'+c).innerText)])"
    return {uci: texts for uci, *texts in part.locator("tbody tr").evaluate_all(script)}


def shown(row):
    """The same of a row of the report."""
    score = "–" if row.q is None else f"{row.q:.3f}".removeprefix("0")
    return [f"{row.n:,}", f"{100 * row.share:.1f} %", score]
