"""Nets and planes as slowly and plainly as possible: numpy in float64, python-chess, a move at a time."""

import chess
import numpy as np

from engine.lc0 import net_format as nf
from tests.engine.lc0.tiny_nets import HEADS, Tree

DIRECTIONS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
JUMPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))


# Layers


def relu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0)


ACTIVATIONS = {
    "relu": relu,
    "mish": lambda x: x * np.tanh(np.log1p(np.exp(x))),
    "selu": lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * (np.exp(x) - 1)),
    "swish": lambda x: x / (1 + np.exp(-x)),
    "relu_2": lambda x: relu(x) ** 2,
}


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def convolved(x: np.ndarray, layer: Tree) -> np.ndarray:
    weights = layer["weights"].astype(float)
    size = weights.shape[-1]
    padded = np.pad(x, ((0, 0), (size // 2,) * 2, (size // 2,) * 2))
    out = np.zeros((len(weights), 8, 8))
    for rank in range(8):
        for file in range(8):
            out[:, rank, file] = (weights * padded[:, rank : rank + size, file : file + size]).sum((1, 2, 3))
    if "biases" in layer:
        out += layer["biases"][:, None, None]
    if "bn_means" in layer:
        means, variances, gammas, betas = (
            layer[f"bn_{name}"][:, None, None].astype(float) for name in ("means", "stddivs", "gammas", "betas")
        )
        out = (out - means) / np.sqrt(variances + 1e-5) * gammas + betas
    return out


def dense(x: np.ndarray, part: Tree, name: str) -> np.ndarray:
    return x @ part[f"{name}_w"].T.astype(float) + part.get(f"{name}_b", 0)


def normed(x: np.ndarray, part: Tree, name: str, epsilon: float) -> np.ndarray:
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon)
    return scaled * part[f"{name}_gammas"] + part[f"{name}_betas"]


class Reference:
    """A net of `tests.engine.lc0.tiny_nets`."""

    def __init__(self, tree: Tree) -> None:
        self.weights, self.format = tree["weights"], tree["format"]["network_format"]
        self.default = "mish" if self.format.get("default_activation") == nf.MISH else "relu"
        self.act = ACTIVATIONS[self.default]
        self.is_dense = self.format.get("input_embedding") == nf.EMBEDDING_DENSE

    def evaluate(self, planes: np.ndarray) -> tuple[dict[tuple[int, int, int], float], np.ndarray]:
        """Planes [112, 64] to the logits of moves (origin, target, piece: 0 none or knight, else python-chess's), and
        win, draw and loss, or the value.
        """
        weights, body = self.weights, planes.reshape(112, 8, 8).astype(float)
        if "residual" in weights:
            body = self.tower(body)
        if "encoder" in weights:
            rows = self.attention_body(body)
            value = self.act(dense(rows, self.value_part(), "ip_val"))
        else:
            rows = body.reshape(len(body), 64).T
            value = self.act(convolved(body, weights["value"])).reshape(-1, 64)
        value = self.act(dense(value.reshape(-1), self.value_part(), "ip1_val"))
        value = dense(value, self.value_part(), "ip2_val")
        value = softmax(value) if len(value) == 3 else np.tanh(value)
        return self.policy(body, rows), value

    def value_part(self) -> Tree:
        return self.weights.get("value_heads", {"winner": self.weights})["winner"]

    def tower(self, x: np.ndarray) -> np.ndarray:
        x = self.act(convolved(x, self.weights["input"]))
        for block in self.weights["residual"]:
            out = convolved(self.act(convolved(x, block["conv1"])), block["conv2"])
            if "se" in block:
                hidden = self.act(block["se"]["w1"] @ out.mean((1, 2)) + block["se"]["b1"])
                both = block["se"]["w2"] @ hidden + block["se"]["b2"]
                factor, summand = (half[:, None, None] for half in np.split(both, 2))
                out = out / (1 + np.exp(-factor)) + summand
            x = self.act(out + x)
        return x

    # Attention

    def attention_body(self, planes: np.ndarray) -> np.ndarray:
        weights, rows = self.weights, planes.reshape(112, 64).T
        if self.is_dense:
            board = dense(rows[:, :12].reshape(-1), weights, "ip_emb_preproc").reshape(64, -1)
        else:
            board = np.array([[reach(a, b) for b in range(64)] for a in range(64)])
        rows = self.act(dense(np.hstack([rows, board]), weights, "ip_emb"))
        if self.is_dense:
            rows = normed(rows, weights, "ip_emb_ln", 1e-3)
        rows = rows * weights["ip_mult_gate"].T + weights["ip_add_gate"].T
        alpha = (2 * len(weights["encoder"])) ** -0.25
        if self.is_dense:
            rows = rows + alpha * self.feed_forward(rows, weights["ip_emb_ffn"], self.default)
            rows = normed(rows, weights, "ip_emb_ffn_ln", 1e-3)
        for layer in weights["encoder"]:
            rows = self.encoder(rows, layer, alpha, self.default)
        return rows

    def encoder(self, rows: np.ndarray, layer: Tree, alpha: float, activation: str) -> np.ndarray:
        epsilon = 1e-3 if self.is_dense else 1e-6
        rows = normed(rows + alpha * self.attention(rows, layer["mha"]), layer, "ln1", epsilon)
        return normed(rows + alpha * self.feed_forward(rows, layer["ffn"], activation), layer, "ln2", epsilon)

    def feed_forward(self, rows: np.ndarray, part: Tree, activation: str) -> np.ndarray:
        number = self.format.get("ffn_activation", 0)
        name = nf.ACTIVATIONS[number] if number else activation
        return dense(ACTIVATIONS[name](dense(rows, part, "dense1")), part, "dense2")

    def attention(self, rows: np.ndarray, mha: Tree) -> np.ndarray:
        parts = []
        for head in range(HEADS):
            q, k, v = (np.split(dense(rows, mha, name), HEADS, axis=1)[head] for name in "qkv")
            scores = q @ k.T / np.sqrt(q.shape[1])
            if "smolgen" in mha:
                scores = scores + self.smolgen(rows, mha["smolgen"])[head]
            parts.append(softmax(scores) @ v)
        return dense(np.hstack(parts), mha, "dense")

    def smolgen(self, rows: np.ndarray, part: Tree) -> np.ndarray:
        act = ACTIVATIONS["swish"]
        x = (rows @ part["compress"].T).reshape(-1)
        for number in (1, 2):
            x = normed(act(dense(x, part, f"dense{number}")), part, f"ln{number}", 1e-3)
        return np.array([self.weights["smolgen_w"] @ part for part in np.split(x, HEADS)]).reshape(HEADS, 64, 64)

    # Policy

    def policy(self, body: np.ndarray, rows: np.ndarray) -> dict[tuple[int, int, int], float]:
        weights = self.weights
        moves = moves_of_policies()
        if "ip2_pol_w" in weights or "policy_heads" in weights:
            return self.attention_policy(rows, moves)
        if "policy1" in weights:
            planes = convolved(self.act(convolved(body, weights["policy1"])), weights["policy"]).reshape(-1, 64)
            return {move: planes[plane_of(move), move[0]] for move in moves}
        planes = self.act(convolved(body, weights["policy"]))
        return dict(zip(moves, dense(planes.reshape(-1), weights, "ip_pol"), strict=True))

    def attention_policy(
        self, rows: np.ndarray, moves: list[tuple[int, int, int]]
    ) -> dict[tuple[int, int, int], float]:
        heads = self.weights.get("policy_heads")
        head = heads["vanilla"] if heads else self.weights
        activation = self.default if "encoder" in self.weights else "selu"
        rows = ACTIVATIONS[activation](dense(rows, heads or self.weights, "ip_pol"))
        for layer in head.get("pol_encoder", []):
            rows = self.encoder(rows, layer, 1, activation)
        queries, keys = dense(rows, head, "ip2_pol"), dense(rows, head, "ip3_pol")
        logits = {}
        for origin, target, piece in moves:
            logit = queries[origin] @ keys[target] / np.sqrt(keys.shape[1])
            if piece:
                offsets = head["ip4_pol_w"] @ keys[target]
                logit += offsets[(chess.QUEEN, chess.ROOK, chess.BISHOP).index(piece)] + offsets[3]
            logits[origin, target, piece] = logit
        return logits


def reach(origin: int, target: int) -> float:
    """What a queen and a knight reach on an empty board, by python-chess."""
    board = chess.Board(None)
    board.set_piece_at(origin, chess.Piece(chess.QUEEN, chess.WHITE))
    squares = chess.BB_KNIGHT_ATTACKS[origin] | board.attacks_mask(origin)
    return -1.0 if origin == target else float(squares >> target & 1)


def moves_of_policies() -> list[tuple[int, int, int]]:
    """In lc0's order."""
    moves = [(a, b, 0) for a in range(64) for b in range(64) if a != b and reach(a, b)]
    for a in range(8):
        for b in range(8):
            if abs(a - b) < 2:
                moves += [(48 + a, 56 + b, piece) for piece in (chess.QUEEN, chess.ROOK, chess.BISHOP)]
    return moves


def plane_of(move: tuple[int, int, int]) -> int:
    origin, target, piece = move
    files, ranks = target % 8 - origin % 8, target // 8 - origin // 8
    if piece:
        return 64 + (files + 1) * 3 + (chess.ROOK, chess.BISHOP, chess.QUEEN).index(piece)
    if (files, ranks) in JUMPS:
        return 56 + JUMPS.index((files, ranks))
    far = max(abs(files), abs(ranks))
    return 7 * DIRECTIONS.index((files // far, ranks // far)) + far - 1
