"""The search in the browser: a server on this machine, and a page that draws the data of `engine.report`.

Read `show` first (what is shown), then `app` (what can be asked), `guard` (who may ask) and `server`.
"""
