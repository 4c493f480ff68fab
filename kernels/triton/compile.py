"""Compiles one Triton kernel ahead of time, without a GPU. Runs inside a pinned virtual environment, from the repository
root; kernels/build.py calls it with one JSON request:

    {"source": "kernels/triton/split_plain.py", "kernel": "...", "sm": 120, "num_warps": 4, "num_stages": 2,
     "signature": {name: type}, "constants": {name: value}, "divisible_by_16": [names], "output": "folder/stem"}

Writes <output>.cubin and <output>.ttgir and prints a JSON reply (versions, shared bytes). The bytes depend on nothing but
the request and the pinned packages: source names in the line table are relative to the repository, or to the `triton`
package for its own library functions.
"""

import json
import linecache
import os
import subprocess
import sys
import types

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler import code_generator

PACKAGE_PARENT = os.path.dirname(os.path.dirname(os.path.abspath(triton.__file__)))


def load_kernel(path, name):
    """Executes the source under its relative name, which is what ends up in the line table."""
    module = types.ModuleType(os.path.splitext(os.path.basename(path))[0])
    module.__file__ = path
    sys.modules[module.__name__] = module
    with open(path, encoding="utf-8") as file:
        text = file.read()
    # Triton reads the source again while compiling; without a time, this entry is never checked against a file.
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    exec(compile(text, path, "exec"), module.__dict__)
    return getattr(module, name)


def relative_name(file_name):
    return os.path.relpath(file_name, PACKAGE_PARENT) if os.path.isabs(file_name) else file_name


def normalise_source_names():
    """Triton's own library functions (tl.max and the like) would enter the line table with the environment's path."""
    if hasattr(code_generator, "get_jit_fn_file_line"):  # 3.3
        original = code_generator.get_jit_fn_file_line

        def relative(fn):
            file_name, line = original(fn)
            return relative_name(file_name), line

        code_generator.get_jit_fn_file_line = relative
        return
    original_init = code_generator.CodeGenerator.__init__  # 3.9

    def init(self, *arguments, file_name=None, **options):
        original_init(self, *arguments, file_name=relative_name(file_name), **options)

    code_generator.CodeGenerator.__init__ = init


def make_source(kernel, request):
    names = kernel.arg_names
    signature = {name: request["signature"].get(name, "constexpr") for name in names}
    constants = {(names.index(name),): value for name, value in request["constants"].items()}
    attributes = {(names.index(name),): [["tt.divisibility", 16]] for name in request["divisible_by_16"]}
    return ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=attributes)


def ptxas_version(sm):
    from triton.backends.nvidia import compiler

    try:
        path = compiler.get_ptxas(sm).path
    except (AttributeError, TypeError):
        path = compiler._path_to_binary("ptxas-blackwell" if sm >= 100 else "ptxas")[0]
    text = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
    return next(word for word in text.split() if word.startswith("V")).lstrip("V")


def main():
    request = json.loads(sys.argv[1])
    normalise_source_names()
    kernel = load_kernel(request["source"], request["kernel"])
    # ptxas adds the time of a source file that it finds under its relative name: let it find none.
    os.chdir(os.path.dirname(request["output"]))
    options = {"num_warps": request["num_warps"], "num_stages": request["num_stages"]}
    compiled = triton.compile(
        make_source(kernel, request), target=GPUTarget("cuda", request["sm"], 32), options=options
    )
    with open(request["output"] + ".cubin", "wb") as file:
        file.write(compiled.asm["cubin"])
    with open(request["output"] + ".ttgir", "w", encoding="utf-8") as file:
        file.write(compiled.asm["ttgir"])
    json.dump(
        {
            "producer": f"triton {triton.__version__} (ptxas {ptxas_version(request['sm'])})",
            "shared_bytes": compiled.metadata.shared,
            "threads": 32 * compiled.metadata.num_warps,
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
