"""What lc0's weights files hold: numbers and names of fields, and of choices, as in lc0's `proto/net.proto`.

Only fields that are read are named. See `engine.lc0.wire` for how they are read.
"""

from engine.lc0.wire import Field, Kind, Schema


def named(names: str, holds: Kind | Schema, start: int = 1) -> dict[int, Field]:
    """Fields of one kind with consecutive numbers; a dash leaves a number out."""
    return {number: Field(name, holds) for number, name in enumerate(names.split(), start) if name != "-"}


LAYER: Schema = (
    named("min_val max_val", Kind.FLOAT) | named("params", Kind.DATA, 3) | named("encoding", Kind.INTEGER, 4)
)
CONVOLUTION: Schema = named("weights biases bn_means bn_stddivs bn_gammas bn_betas", LAYER)
SQUEEZE: Schema = named("w1 b1 w2 b2", LAYER)
RESIDUAL: Schema = named("conv1 conv2", CONVOLUTION) | named("se", SQUEEZE, 3)

SMOLGEN: Schema = named("compress dense1_w dense1_b ln1_gammas ln1_betas dense2_w dense2_b ln2_gammas ln2_betas", LAYER)
ATTENTION: Schema = (
    named("q_w q_b k_w k_b v_w v_b dense_w dense_b", LAYER)
    | named("smolgen", SMOLGEN, 9)
    | named("rpe_q rpe_k rpe_v", LAYER, 10)
)
FEED_FORWARD: Schema = named("dense1_w dense1_b dense2_w dense2_b", LAYER)
ENCODER: Schema = (
    named("mha", ATTENTION)
    | named("ln1_gammas ln1_betas", LAYER, 2)
    | named("ffn", FEED_FORWARD, 4)
    | named("ln2_gammas ln2_betas", LAYER, 5)
)

POLICY_HEAD: Schema = (
    named("ip_pol_w ip_pol_b ip2_pol_w ip2_pol_b ip3_pol_w ip3_pol_b ip4_pol_w", LAYER)
    | {8: Field("pol_encoder", ENCODER, repeated=True)}
    | named("pol_headcount", Kind.INTEGER, 9)
    | named("policy1 policy", CONVOLUTION, 10)
)
VALUE_HEAD: Schema = named("ip_val_w ip_val_b ip1_val_w ip1_val_b ip2_val_w ip2_val_b", LAYER) | named(
    "value", CONVOLUTION, 11
)
POLICY_HEADS: Schema = named("ip_pol_w ip_pol_b", LAYER) | named("vanilla", POLICY_HEAD, 3)
VALUE_HEADS: Schema = named("winner", VALUE_HEAD)

WEIGHTS: Schema = (
    named("input", CONVOLUTION)
    | {2: Field("residual", RESIDUAL, repeated=True)}
    | named("policy", CONVOLUTION, 3)
    | named("ip_pol_w ip_pol_b", LAYER, 4)
    | named("value", CONVOLUTION, 6)
    | named("ip1_val_w ip1_val_b ip2_val_w ip2_val_b", LAYER, 7)
    | named("policy1", CONVOLUTION, 11)
    | named("ip2_pol_w ip2_pol_b ip3_pol_w ip3_pol_b", LAYER, 17)
    | {21: Field("pol_encoder", ENCODER, repeated=True)}
    | named("ip4_pol_w", LAYER, 22)
    | named("pol_headcount", Kind.INTEGER, 24)
    | named("ip_emb_w ip_emb_b", LAYER, 25)
    | {27: Field("encoder", ENCODER, repeated=True)}
    | named("headcount", Kind.INTEGER, 28)
    | named("ip_val_w ip_val_b", LAYER, 29)
    | named("ip_mult_gate ip_add_gate smolgen_w smolgen_b", LAYER, 33)
    | named("ip_emb_preproc_w ip_emb_preproc_b ip_emb_ln_gammas ip_emb_ln_betas", LAYER, 37)
    | named("ip_emb_ffn", FEED_FORWARD, 41)
    | named("ip_emb_ffn_ln_gammas ip_emb_ffn_ln_betas", LAYER, 42)
    | named("value_heads", VALUE_HEADS, 44)
    | named("policy_heads", POLICY_HEADS, 45)
)

NETWORK_FORMAT: Schema = named(
    "input output network policy value moves_left default_activation smolgen_activation ffn_activation input_embedding",
    Kind.INTEGER,
)
ONNX_MODEL: Schema = (
    named("model", Kind.DATA)
    | named("data_type", Kind.INTEGER, 2)
    | named("input_planes output_value output_wdl output_policy", Kind.DATA, 3)
)
NET: Schema = (
    named("magic", Kind.FIXED)
    | named("min_version", named("major minor patch", Kind.INTEGER), 3)
    | named("format", named("weights_encoding", Kind.INTEGER) | named("network_format", NETWORK_FORMAT, 2), 4)
    | named("weights", WEIGHTS, 10)
    | named("onnx_model", ONNX_MODEL, 11)
)

# Choices

LINEAR16, FLOAT16, BFLOAT16, FLOAT32 = 1, 2, 3, 4  # encodings of a layer

INPUT_CLASSICAL, INPUT_CASTLING_PLANE, INPUT_CANONICAL = 1, 2, 3
INPUT_HECTOPLIES, INPUT_V2, INPUT_HECTOPLIES_ARMAGEDDON, INPUT_V2_ARMAGEDDON = 4, 5, 132, 133
INPUTS = {
    INPUT_CLASSICAL,
    INPUT_CASTLING_PLANE,
    INPUT_CANONICAL,
    INPUT_HECTOPLIES,
    INPUT_V2,
    INPUT_HECTOPLIES_ARMAGEDDON,
    INPUT_V2_ARMAGEDDON,
}

CLASSICAL, SQUEEZED = 1, 2  # structures of networks that name no heads
CLASSICAL_WITH_HEADS, SQUEEZED_WITH_HEADS, ONNX, ATTENTION_BODY, MANY_HEADS, MANY_HEADS_BEFORE = 3, 4, 5, 6, 7, 134
STRUCTURES = {CLASSICAL_WITH_HEADS, SQUEEZED_WITH_HEADS, ONNX, ATTENTION_BODY, MANY_HEADS}

POLICY_DENSE, POLICY_CONVOLUTION, POLICY_ATTENTION = 1, 2, 3
VALUE_SCALAR, VALUE_WDL = 1, 2

ACTIVATIONS = ("default", "mish", "relu", "none", "tanh", "sigmoid", "selu", "swish", "relu_2", "softmax")
MISH = 1
RELU_2, SWISH = ACTIVATIONS.index("relu_2"), ACTIVATIONS.index("swish")

EMBEDDING_NONE, EMBEDDING_MAP, EMBEDDING_DENSE = 0, 1, 2
