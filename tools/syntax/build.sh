#!/usr/bin/env bash
# Compiles the grammars to WebAssembly modules in internal/syntax/grammars, and writes their hashes beside them.
# With --check it compares: the same compiler gives the same bytes, another one is not compared.
# It needs npm, zstd, clang, lld and the C library of WASI (Debian: clang-14 lld-14 wasi-libc libclang-rt-14-dev-wasm32).
set -euo pipefail
cd "$(dirname "$0")/../.."
out=internal/syntax/grammars
made="clang $(clang -dumpversion)"
check=
[ "${1:-}" = --check ] && check=1
if [ -n "$check" ] && [ "$made" != "$(cat $out/COMPILER)" ]; then
  echo "the grammars were compiled by $(cat $out/COMPILER), this is $made: not compared"
  exit 0
fi

work=bin/syntax
mkdir -p $work
cp tools/syntax/package.json tools/syntax/package-lock.json $work/
(cd $work && npm ci --ignore-scripts --no-audit --no-fund --legacy-peer-deps --silent)
node=$work/node_modules
core=$node/tree-sitter/vendor/tree-sitter/lib
[ -n "$check" ] && out=$work/out && mkdir -p $out
target=(--target=wasm32-wasi --sysroot=/usr)
flags=("${target[@]}" -O2 -DNDEBUG -w "-ffile-prefix-map=$PWD=." -I$core/include -I$core/src)

clang "${flags[@]}" -c $core/src/lib.c -o $work/core.o
grammar() { # name, folder of the parser, function
  clang "${flags[@]}" -DGRAMMAR=tree_sitter_$3 -c tools/syntax/syntax.c -o $work/$1.face.o
  local objects=()
  for c in "$node/$2"/src/{parser,scanner}.c; do
    [ -f "$c" ] || continue
    clang "${flags[@]}" -I"$(dirname "$c")" -c "$c" -o "$work/$1.$(basename "$c" .c).o"
    objects+=("$work/$1.$(basename "$c" .c).o")
  done
  clang "${target[@]}" -mexec-model=reactor -Wl,--strip-all -Wl,--gc-sections -Wl,-z,stack-size=1048576 \
    $work/core.o $work/$1.face.o "${objects[@]}" -o $work/$1.wasm
  zstd -q -f --ultra -22 $work/$1.wasm -o $out/$1.wasm.zst
}
grammar typescript tree-sitter-typescript/typescript typescript
grammar tsx tree-sitter-typescript/tsx tsx
grammar python tree-sitter-python python
grammar rust tree-sitter-rust rust
grammar java tree-sitter-java java
grammar kotlin @tree-sitter-grammars/tree-sitter-kotlin kotlin

# Of the modules themselves: versions of zstd differ.
(cd $work && sha256sum typescript.wasm tsx.wasm python.wasm rust.wasm java.wasm kotlin.wasm) >$out/SHA256SUMS
if [ -n "$check" ]; then
  diff internal/syntax/grammars/SHA256SUMS $out/SHA256SUMS && echo "the grammars are what their sources say"
else
  echo "$made" >$out/COMPILER
fi
