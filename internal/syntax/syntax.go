// Package syntax parses source code into concrete syntax trees: TypeScript, JavaScript, Python, Rust, Java and Kotlin.
//
// The parsers are tree-sitter grammars, compiled to WebAssembly modules that are part of the program and run in
// process without access to anything, so that the program stays static and code that is not trusted is parsed in a
// sandbox. tools/syntax builds them. A grammar is unpacked and compiled when the first file of its language is parsed;
// UseCache keeps the compiled form on disk.
package syntax

import (
	"context"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// Lang is a grammar.
type Lang int32

// The grammars. TSX is also that of JavaScript.
const (
	TypeScript Lang = iota
	TSX
	Python
	Rust
	Java
	Kotlin
	langs
)

// MaxSize is the largest source that Parse takes, in bytes. Larger files are generated or data; a tree takes about
// a hundred times the room of its source while it is made.
const MaxSize = 4 << 20

// ErrTooLarge is what Parse answers to a source of more than MaxSize bytes.
var ErrTooLarge = errors.New("source is larger than 4 MiB")

// Tree is a parsed file. It does not change, and its nodes can be read by many goroutines.
type Tree struct {
	src   []byte // as long as what was parsed
	nodes []record
	lang  *language
	lines []int32
}

// record is a node as the module writes it: in preorder, size counts the node and all below it.
type record struct {
	symbol       uint16
	field, flags uint8
	start, end   uint32
	size         uint32
}

const recordSize = 16

const (
	flagNamed = 1 << iota
	flagError
	flagMissing
)

type language struct{ symbols, fields []string }

//go:embed grammars/*.wasm.zst
var grammars embed.FS

// grammar is a module that is compiled when it is first needed, with its idle instances.
type grammar struct {
	name string
	// endless says that its parser is known not to come to an end with some sources. It runs bounded then, at two thirds of the speed.
	endless bool
	once    sync.Once
	err     error
	rt      wazero.Runtime
	code    wazero.CompiledModule
	tell    *language
	idle    chan *instance
}

var all = [langs]*grammar{
	TypeScript: fresh("typescript"), TSX: fresh("tsx"), Python: fresh("python"), Rust: fresh("rust"), Java: fresh("java"),
	Kotlin: endless("kotlin"),
}

func fresh(name string) *grammar {
	return &grammar{name: name, idle: make(chan *instance, max(2, runtime.GOMAXPROCS(0)))}
}

func endless(name string) *grammar {
	g := fresh(name)
	g.endless = true
	return g
}

// host is what modules run in.
var host struct {
	once    sync.Once
	dir     string
	damaged func()
	rt      wazero.Runtime
	err     error
	mend    sync.Once
}

// UseCache keeps compiled grammars in a directory (some megabytes), from which later processes load them in a fraction
// of the time. It has to be called before the first Parse; a directory that cannot be used is ignored, and what is damaged in it
// is made anew after damaged was called, once.
func UseCache(dir string, damaged func()) { host.dir, host.damaged = dir, damaged }

func start(ctx context.Context) error {
	host.once.Do(func() { host.rt, host.err = newRuntime(ctx, host.dir, false) })
	return host.err
}

func newRuntime(ctx context.Context, cacheDir string, bounded bool) (wazero.Runtime, error) {
	// 1 GiB of memory for one instance: MaxSize needs less.
	cfg := wazero.NewRuntimeConfig().WithMemoryLimitPages(1 << 14).WithCloseOnContextDone(bounded)
	if cacheDir != "" {
		if cache, err := wazero.NewCompilationCacheWithDir(cacheDir); err == nil {
			cfg = cfg.WithCompilationCache(cache)
		}
	}
	rt := wazero.NewRuntimeWithConfig(ctx, cfg)
	_, err := wasi_snapshot_preview1.Instantiate(ctx, rt)
	return rt, err
}

// translate compiles a module, with what is kept of it. What cannot be read any more is deleted and made anew, and where nothing
// can be kept, for want of space for example, the module is compiled without.
func (g *grammar) translate(ctx context.Context, wasm []byte) (err error) {
	g.rt = host.rt
	if g.endless {
		if g.rt, err = newRuntime(ctx, host.dir, true); err != nil {
			return err
		}
	}
	if g.code, err = g.rt.CompileModule(ctx, wasm); err == nil || host.dir == "" {
		return err
	}
	host.mend.Do(func() {
		files, _ := filepath.Glob(filepath.Join(host.dir, "wazero-*", "*"))
		for _, f := range files {
			_ = os.Remove(f)
		}
		host.damaged()
	})
	if g.code, err = g.rt.CompileModule(ctx, wasm); err == nil {
		return nil
	}
	if g.rt, err = newRuntime(ctx, "", g.endless); err == nil {
		g.code, err = g.rt.CompileModule(ctx, wasm)
	}
	return err
}

// instance is one copy of a module with its own memory; it parses one file at a time.
type instance struct{ mod api.Module }

func (in *instance) call(ctx context.Context, name string, args ...uint64) (uint32, error) {
	out, err := in.mod.ExportedFunction(name).Call(ctx, args...)
	if err != nil || len(out) == 0 {
		return 0, err
	}
	return uint32(out[0]), nil
}

// load unpacks and compiles the grammar once.
func (g *grammar) load(ctx context.Context) error {
	g.once.Do(func() {
		if g.err = g.compile(ctx); g.err != nil {
			g.err = fmt.Errorf("load the grammar of %s: %w", g.name, g.err)
		}
	})
	return g.err
}

func (g *grammar) compile(ctx context.Context) error {
	if err := start(ctx); err != nil {
		return err
	}
	packed, err := grammars.ReadFile("grammars/" + g.name + ".wasm.zst")
	if err != nil {
		return err
	}
	wasm, err := zstd.DecodeTo(nil, packed)
	if err != nil {
		return err
	}
	if err := g.translate(ctx, wasm); err != nil {
		return err
	}
	first, err := g.instance(ctx)
	if err != nil {
		return err
	}
	g.tell = &language{}
	if g.tell.symbols, err = first.names(ctx, "symbols", "symbol", 0); err != nil {
		return err
	}
	if g.tell.fields, err = first.names(ctx, "fields", "field", 1); err != nil {
		return err
	}
	g.idle <- first
	return nil
}

func (g *grammar) instance(ctx context.Context) (*instance, error) {
	mod, err := g.rt.InstantiateModule(ctx, g.code, wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize"))
	if err != nil {
		return nil, fmt.Errorf("start the grammar: %w", err)
	}
	return &instance{mod}, nil
}

// names reads a table of names, so that nodes can be told without a call. The numbers of fields begin with 1.
func (in *instance) names(ctx context.Context, count, name string, first uint32) ([]string, error) {
	n, err := in.call(ctx, count)
	if err != nil {
		return nil, err
	}
	out := make([]string, n+first)
	for i := first; i < n+first; i++ {
		at, err := in.call(ctx, name, uint64(i))
		if err != nil {
			return nil, err
		}
		mem := in.mod.Memory()
		if b, ok := mem.Read(at, min(128, mem.Size()-at)); ok && at != 0 {
			out[i], _, _ = strings.Cut(string(b), "\x00")
		}
	}
	return out, nil
}

// limit is how long the parser of an endless grammar may take for one file: there are sources, cut off within an annotation of Kotlin for example,
// that it does not come to an end with. A megabyte takes a few seconds, a usual file some thousandths of one.
func limit(src []byte) time.Duration {
	return 5*time.Second + time.Duration(len(src))*100*time.Microsecond
}

// Parse gives the syntax tree of a source. What is no code of the language becomes error nodes; an error is returned
// only for a source that is too large or when the parser itself broke, which a later Parse does not feel.
func Parse(l Lang, src []byte) (*Tree, error) {
	if len(src) > MaxSize {
		return nil, ErrTooLarge
	}
	ctx, g := context.Background(), all[l]
	if err := g.load(ctx); err != nil {
		return nil, err
	}
	var in *instance
	select {
	case in = <-g.idle:
	default:
		var err error
		if in, err = g.instance(ctx); err != nil {
			return nil, err
		}
	}
	limited, cancel := context.WithTimeout(ctx, limit(src))
	nodes, err := in.parse(limited, src)
	cancel()
	if err != nil || in.mod.Memory().Size() > 64<<20 { // an instance's memory never shrinks
		_ = in.mod.Close(ctx)
	} else {
		select {
		case g.idle <- in:
		default:
			_ = in.mod.Close(ctx)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", g.name, err)
	}
	return &Tree{src: src, nodes: nodes, lang: g.tell, lines: lineStarts(src)}, nil
}

func (in *instance) parse(ctx context.Context, src []byte) ([]record, error) {
	at, err := in.call(ctx, "alloc", uint64(len(src)+1))
	if err != nil {
		return nil, err
	}
	if at == 0 || !in.mod.Memory().Write(at, src) {
		return nil, errors.New("no memory left")
	}
	n, err := in.call(ctx, "parse", uint64(at), uint64(len(src)))
	if err != nil {
		return nil, err
	}
	if _, err := in.call(ctx, "release", uint64(at)); err != nil {
		return nil, err
	}
	list, err := in.call(ctx, "records")
	if err != nil {
		return nil, err
	}
	raw, ok := in.mod.Memory().Read(list, n*recordSize)
	if !ok || n == 0 {
		return nil, errors.New("no memory left for the tree")
	}
	nodes := make([]record, n)
	for i := range nodes {
		b := raw[i*recordSize:]
		nodes[i] = record{
			binary.LittleEndian.Uint16(b), b[2], b[3],
			binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint32(b[12:]),
		}
	}
	return nodes, nil
}

// Over is the same tree over another text of the same length, for a source of which a variant had to be parsed.
func (t *Tree) Over(src []byte) *Tree {
	return &Tree{src: src, nodes: t.nodes, lang: t.lang, lines: lineStarts(src)}
}

func lineStarts(src []byte) []int32 {
	out := []int32{0}
	for i, c := range src {
		if c == '\n' {
			out = append(out, int32(i+1))
		}
	}
	return out
}
