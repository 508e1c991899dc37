"""A llama.cpp server with a tiny model whose weights are random: `tiny_llama_server.py FOLDER`.

Prints its base URL as the first line on standard output, and ends when standard input is closed, so
that it never outlives whoever started it.
"""

import os
import sys

import gguf
import numpy
import xllamacpp

LAYERS, WIDTH, HEADS, HIDDEN, CONTEXT = 2, 64, 4, 128, 32_768
END_TOKEN = 2
SEED = 20_251_121


def vocabulary():
    """Control tokens, all bytes for whatever else there is, and some pieces of text."""
    kinds = gguf.TokenType
    yield b"<unk>", kinds.UNKNOWN
    yield b"<s>", kinds.CONTROL
    yield b"</s>", kinds.CONTROL
    for byte in range(256):
        yield f"<0x{byte:02X}>".encode(), kinds.BYTE
    space = "\u2581"
    for piece in [space, *(chr(code) for code in range(33, 127)), "ä", "ß", "語", "🦊"]:
        yield piece.encode(), kinds.NORMAL
    for word in ["the", "and", "fox", "search", "größer"]:
        yield (space + word).encode(), kinds.NORMAL


def write_model(path):
    tokens, kinds = zip(*vocabulary())
    random = numpy.random.default_rng(SEED)

    def weights(*shape):
        return random.normal(0, 0.2, shape).astype(numpy.float32)

    output = weights(len(tokens), WIDTH)
    # Never the likeliest, so that an answer at temperature 0 ends at its limit only.
    output[END_TOKEN] = 0

    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny random llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(list(tokens))
    writer.add_token_scores([-float(at) for at in range(len(tokens))])
    writer.add_token_types([int(kind) for kind in kinds])
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(END_TOKEN)
    writer.add_chat_template(
        "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}assistant:"
    )
    writer.add_tensor("token_embd.weight", weights(len(tokens), WIDTH))
    writer.add_tensor("output_norm.weight", numpy.ones(WIDTH, numpy.float32))
    writer.add_tensor("output.weight", output)
    for layer in range(LAYERS):
        block = f"blk.{layer}"
        for norm in ["attn_norm", "ffn_norm"]:
            writer.add_tensor(f"{block}.{norm}.weight", numpy.ones(WIDTH, numpy.float32))
        for part in ["attn_q", "attn_k", "attn_v", "attn_output"]:
            writer.add_tensor(f"{block}.{part}.weight", weights(WIDTH, WIDTH))
        writer.add_tensor(f"{block}.ffn_gate.weight", weights(HIDDEN, WIDTH))
        writer.add_tensor(f"{block}.ffn_up.weight", weights(HIDDEN, WIDTH))
        writer.add_tensor(f"{block}.ffn_down.weight", weights(WIDTH, HIDDEN))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    path = os.path.join(sys.argv[1], "tiny-llama.gguf")
    write_model(path)
    parameters = xllamacpp.CommonParams()
    parameters.model.path = path
    parameters.hostnames = ["127.0.0.1"]
    # Any free one.
    parameters.port = 0
    parameters.n_ctx = CONTEXT
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 1
    parameters.n_gpu_layers = 0
    parameters.endpoint_slots = True
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    # Its threads would wait for requests that still run.
    os._exit(0)


main()
