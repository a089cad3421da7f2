"""The search in the browser: a server on this machine, and a page that draws the data of `engine.report`.

Read `view` first (the data of a page), then `app` (the requests), `guard` (which requests are allowed) and `server`.
"""
