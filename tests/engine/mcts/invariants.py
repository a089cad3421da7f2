"""What is true of every tree between two simulations."""

from engine.mcts.tree import FREE, IN_USE, LIVE, SCORE_UNIT


def edges_below(tree, slot):
    header = int(tree.link[slot])
    return range(header + 1, header + 1 + int(tree.visits[header])) if header else range(0)


def check_invariants(tree):
    """The ring is whole, links and headers agree, sums are within bounds; -> nodes in the tree."""
    slots, header, headers, used = tree.visits.size, 1, set(), 0
    while header < slots:
        assert tree.move[header] in (LIVE, FREE)
        headers.add(header)
        used += (int(tree.visits[header]) + 1) * (tree.move[header] == LIVE)
        header += 1 + int(tree.visits[header])
    assert header == slots
    assert used == tree.control[int(IN_USE)]
    nodes, todo = set(), [0]
    while todo:
        slot = todo.pop()
        visits = int(tree.visits[slot])
        assert tree.in_flight[slot] == 0
        assert 0 <= tree.wins[slot] <= visits * SCORE_UNIT
        assert 0 <= tree.draws[slot] <= visits * SCORE_UNIT
        assert tree.draws[slot] <= 2 * min(tree.wins[slot], visits * SCORE_UNIT - tree.wins[slot]) + visits
        link = int(tree.link[slot])
        if link:
            assert link in headers
            assert link not in nodes
            assert tree.move[link] == LIVE
            assert tree.wins[link] == slot
            nodes.add(link)
            todo += edges_below(tree, slot)
            assert sum(int(tree.visits[below]) for below in edges_below(tree, slot)) <= visits
    return len(nodes)
