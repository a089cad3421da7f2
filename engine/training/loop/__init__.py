"""`teresa train loop`: labels, a fit, gates, keep or drop, again and again. One folder holds everything.

settings.py      what a loop is asked for
loop_journal.py  what was done, on disk
rounds.py        rounds and nets, as the journal has them; the next step
net_strength.py  the Elo of the nets, added up
nets.py          the nets, each named by its content, and the state of the optimiser
labels.py        a step: labelled games
fit_step.py      a step: both nets; fit_units.py trains one on a worker
gates.py         a step: a match against the best net
work.py          all steps; processor time (spent.py)
loop.py          the loop itself
page.py          the report page, with its chart (chart.py)
"""
