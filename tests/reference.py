"""The search again, slow and obvious: the oracle for the kernels.

It shares the rules (`Position`) and the definition of the random generator with them, nothing else: nodes are objects,
proofs are pairs, every node is looked at whole each time.
"""

import math

from movegen import Ending

UNIT = 1 << 20
MASK = 2**64 - 1


class Random:
    """The generator "wyrand"."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = self.state + 0xA0761D6478BD642F & MASK
        product = self.state * (self.state ^ 0xE7037ED1A0B428DB)
        return ((product >> 64 ^ product & MASK) * limit) >> 64


def scattered(position):
    """A value that looks random but depends on the position alone."""
    product = position.key * position.key
    return ((product >> 64 ^ product & MASK) * (UNIT + 1)) >> 64, 0


def constant(_position):
    return UNIT // 2, 0


def natural_log(number):
    exponent = number.bit_length() - 1
    s = (number / 2**exponent - 1.0) / (number / 2**exponent + 1.0)
    total, power = 0.0, s
    for odd in range(1, 26, 2):
        total += power / odd
        power *= s * s
    return exponent * 0.6931471805599453 + 2.0 * total


def uniform(position, _depth):
    return [65535 // len(position.move_codes)] * len(position.move_codes)


class Edge:
    """A move, with what was learnt about it; all from the view of the player who makes it."""

    def __init__(self, code, prior):
        self.code, self.prior = code, prior
        self.visits = self.wins = self.draws = 0
        self.proof = None  # ("win" | "draw" | "loss", distance)
        self.replies = None  # edges of the position after the move

    def mean(self):
        if self.proof:
            return {"win": 1.0, "draw": 0.5, "loss": 0.0}[self.proof[0]]
        return self.wins / UNIT / self.visits


class Reference:
    """A search from a position."""

    def __init__(
        self,
        position,
        formula,
        evaluate,
        priors,
        exploration,
        first_play=0.0,
        growth=0.0,
        seed=1,
        solver=True,
        transpositions=False,
    ):
        self.position, self.formula, self.evaluate, self.priors = position, formula, evaluate, priors
        self.exploration, self.first_play, self.growth, self.solver = exploration, first_play, growth, solver
        self.random = Random(seed)
        self.transpositions = {} if transpositions else None  # by a part of the key: the last key and edge expanded
        self.root = Edge(None, 65535)

    def run(self, simulations):
        for _ in range(simulations):
            if self.root.proof:
                break
            self.simulate()
        return self

    def simulate(self):
        path, positions, repeated = [self.root], [self.position], False
        while not path[-1].proof and not repeated:
            if path[-1].replies is None and path[-1].visits == 0:
                break
            if path[-1].replies is None:
                self.expand(path[-1], positions[-1], len(path) - 1)
            edge = self.select(path[-1])
            path.append(edge)
            positions.append(positions[-1].play(edge.code))
            repeated = any(earlier == positions[-1] for earlier in positions[:-1])
            if not edge.proof and positions[-1].occurrences >= 3:
                self.prove(path, "draw")
        edge, position = path[-1], positions[-1]
        if not edge.proof and not repeated and edge.visits == 0:
            result = self.ending(position, at_root=len(path) == 1)
            if result:
                self.prove(path, result)
        if edge.proof:
            result = edge.proof[0]
            score, draw = {"win": (UNIT, 0), "draw": (UNIT // 2, UNIT), "loss": (0, 0)}[result]
        elif repeated:
            score, draw = UNIT // 2, UNIT
        else:
            score, draw = self.mean_elsewhere(position) or self.evaluate(position)
        self.back_up(path, score, draw)

    def expand(self, edge, position, depth):
        """The replies, the likely ones first."""
        pairs = zip(position.move_codes, self.priors(position, depth), strict=True)
        edge.replies = [Edge(code, prior) for code, prior in sorted(pairs, key=lambda pair: -pair[1])]
        if self.transpositions is not None and depth:
            self.transpositions[position.key >> 46] = position.key, edge

    def mean_elsewhere(self, position):
        """Score and draw share of another node of this position, if the last one in its place in the table is one."""
        key, edge = (self.transpositions or {}).get(position.key >> 46, (None, None))
        if key != position.key:
            return None
        score = edge.wins // edge.visits
        return score, min(edge.draws // edge.visits, 2 * score, 2 * (UNIT - score))

    def select(self, parent):
        best, best_value, equals = parent.replies[0], -math.inf, 0
        for edge in parent.replies:
            value = self.urgency(edge, parent)
            if value > best_value:
                best, best_value, equals = edge, value, 1
            elif value == best_value and self.formula == "ucb1":
                equals += 1
                if self.random.below(equals) == 0:
                    best = edge
        return best

    def urgency(self, edge, parent):
        if edge.proof and edge.proof[0] == "loss":
            return -math.inf
        if self.formula == "ucb1":
            if edge.visits == 0:
                return math.inf
            return edge.mean() + self.exploration * math.sqrt(natural_log(parent.visits) / edge.visits)
        growing = 1.0 + self.growth * (natural_log(parent.visits + 8192) - 13 * 0.6931471805599453)
        scale = self.exploration * growing * math.sqrt(parent.visits) * (1.0 / 65535)
        mean = edge.mean() if edge.visits else self.mean_of_new(edge, parent)
        return mean + scale * edge.prior / (1.0 + edge.visits)

    def mean_of_new(self, edge, parent):
        """What a move without visits counts as, by the priors of the moves before it that are not lost."""
        before = parent.replies[: parent.replies.index(edge)]
        prior = sum(other.prior for other in before if not (other.proof and other.proof[0] == "loss"))
        own_mean = 1.0 - parent.wins / UNIT / parent.visits
        return own_mean - self.first_play * math.sqrt(prior * (1.0 / 65535))

    @staticmethod
    def ending(position, *, at_root):
        """The end of the game for the player who moved here."""
        ending = position.outcome()
        if ending is Ending.CHECKMATE:
            return "win"
        if ending is Ending.STALEMATE:
            return "draw"
        if at_root or not position.move_codes:
            return None if position.move_codes else "draw"
        return "draw" if ending is Ending.INSUFFICIENT_MATERIAL or position.halfmove_clock >= 100 else None

    def prove(self, path, result):
        path[-1].proof = (result, 1)
        if not self.solver:
            return
        for edge in reversed(path[:-1]):
            proofs = [reply.proof for reply in edge.replies]
            wins = [proof[1] for proof in proofs if proof and proof[0] == "win"]
            if wins:
                found = ("loss", min(wins) + 1)
            elif not all(proofs):
                return
            elif any(proof[0] == "draw" for proof in proofs):
                found = ("draw", max(proof[1] for proof in proofs if proof[0] == "draw") + 1)
            else:
                found = ("win", max(proof[1] for proof in proofs) + 1)
            if edge.proof == found:
                return
            edge.proof = found

    @staticmethod
    def back_up(path, score, draw):
        for edge in reversed(path):
            edge.visits += 1
            edge.wins += score
            edge.draws += draw
            score = UNIT - score
