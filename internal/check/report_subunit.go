package check

import (
	"bytes"
	"cmp"
	"errors"
	"hash/crc32"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/step"
)

// subunitStatus are the outcomes that a packet of SubUnit can have; in others a test is only named, or begins.
var subunitStatus = map[int]step.TestStatus{3: step.Pass, 4: step.Fail, 5: step.Skip, 6: step.Fail, 7: step.Skip}

// subunitTest is a test of SubUnit that goes on, with what was attached to it: why it gave what it gave, and all else.
type subunitTest struct {
	id        string
	runs      bool
	began     float64
	why, says string
}

// subunit reads a stream of SubUnit, version 2 (github.com/testing-cabal/subunit, "The protocol"), which other text may stand in. ok is false
// where there is none. A test that begins and does not end is an error: what ran it has died.
func (r reader) subunit(stream []byte) (out []step.TestResult, ok bool, err error) {
	if bytes.IndexByte(stream, 0xb3) < 0 {
		return nil, false, nil
	}
	open := map[[2]string]*subunitTest{} // by what runs them, and their names
	modules := r.modules()
	for at, due := 0, true; at < len(stream); { // due: by the protocol, a packet may begin here
		e, size := subunitPacket(stream[at:])
		if size == 0 {
			if due && stream[at] == 0xb3 {
				ok, err = ok || at == 0, errors.New("it is damaged, or not whole")
			}
			next := bytes.IndexByte(stream[at+1:], 0xb3)
			if next < 0 {
				break
			}
			at += 1 + next
			due = stream[at-1] == '\n'
			continue
		}
		at, due, ok = at+size, true, true
		if e.id == "" { // what none of the tests has printed
			continue
		}
		key := [2]string{e.route, e.id}
		t := open[key]
		if t == nil {
			t = &subunitTest{id: e.id, began: e.time}
			open[key] = t
		}
		t.runs = t.runs || e.flags&7 == 2
		switch why := strings.HasPrefix(e.file, "traceback") || e.file == "reason"; {
		case why && len(t.why) < maxMessage:
			t.why += e.text
		case !why && len(t.says) < maxMessage:
			t.says += e.text
		}
		if status, ended := subunitStatus[e.flags&7]; ended {
			out = append(out, r.subunitResult(t, modules, status, e.time-t.began))
			delete(open, key)
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(open), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		if t := open[key]; t.runs {
			t.why = "it began and did not end\n" + t.why
			out = append(out, r.subunitResult(t, modules, step.Error, 0))
		}
	}
	return out, ok, err
}

// streamed reports whether something is a stream of SubUnit: what writes one (subunit.run, stestr --subunit) has done its work when it ends.
func streamed(b []byte) bool {
	_, is, _ := reader{}.subunit(b)
	return is
}

// modules are the test files of the project by the names that modules of Python have, from whatever folder they are imported; "." for several.
func (r reader) modules() map[string]string {
	out := map[string]string{}
	if r.tests == nil {
		return out
	}
	for _, f := range r.tests() {
		parts := strings.Split(strings.TrimSuffix(f, path.Ext(f)), "/")
		for i := range parts {
			name := strings.Join(parts[i:], ".")
			if out[name] == "" {
				out[name] = f
			} else {
				out[name] = "."
			}
		}
	}
	return out
}

// subunitResult names a test as others of Python are named, where its name begins with that of a module.
func (r reader) subunitResult(t *subunitTest, modules map[string]string, status step.TestStatus, seconds float64) step.TestResult {
	file, name, of := ".", t.id, t.id
	if i := strings.Index(t.id, " ("); i >= 0 { // setUpClass (MODULE.CLASS)
		of = t.id[i+2:]
	}
	for end := strings.LastIndexByte(of, '.'); end > 0; end = strings.LastIndexByte(of[:end], '.') {
		if file = cmp.Or(modules[of[:end]], "."); file != "." {
			if of == t.id {
				name = strings.Replace(t.id[end+1:], ".", "::", 1)
			}
			break
		}
	}
	message := ""
	if status != step.Pass {
		message = cmp.Or(t.why, t.says)
	}
	return r.result(file, name, status, message, seconds)
}

// subunitEvent is what a packet says.
type subunitEvent struct {
	flags                 int
	time                  float64
	id, file, text, route string
}

// subunitPacket reads the packet that a stream begins with, and says how long it is: 0 where it begins with no whole one.
func subunitPacket(stream []byte) (e subunitEvent, size int) {
	if len(stream) < 8 || stream[0] != 0xb3 || stream[1]>>4 != 2 {
		return e, 0
	}
	in := subunitBytes{rest: stream[1:]}
	e.flags, size = in.fixed(0, 2), in.number()
	begins, end := len(stream)-len(in.rest), size-4
	if end < begins || size > len(stream) {
		return e, 0
	}
	sum := subunitBytes{rest: stream[end:size]}
	if uint32(sum.fixed(0, 4)) != crc32.ChecksumIEEE(stream[:end]) {
		return e, 0
	}
	in.rest = stream[begins:end]
	has := func(flag int) bool { return e.flags&flag != 0 }
	if has(0x200) {
		e.time = float64(in.fixed(0, 4)) + float64(in.number())/1e9
	}
	if has(0x800) {
		e.id = in.text()
	}
	if has(0x80) {
		for n := in.number(); n > 0 && len(in.rest) > 0; n-- { // tags
			in.text()
		}
	}
	if has(0x20) {
		in.text() // the type of a file
	}
	if has(0x40) {
		e.file, e.text = in.text(), in.text()
	}
	if has(0x400) {
		e.route = in.text()
	}
	return e, size
}

// subunitBytes is the rest of a packet. What it lacks is read as zeros.
type subunitBytes struct{ rest []byte }

func (b *subunitBytes) take(n int) []byte {
	if n > len(b.rest) {
		b.rest = nil
		return make([]byte, min(n, 4))
	}
	out := b.rest[:n]
	b.rest = b.rest[n:]
	return out
}

// number reads one that says in its first two bits how many bytes it has.
func (b *subunitBytes) number() int {
	first := b.fixed(0, 1)
	return b.fixed(first&0x3f, first>>6)
}

// fixed reads a number of some bytes behind what it begins with.
func (b *subunitBytes) fixed(begins, bytes int) int {
	for _, next := range b.take(bytes) {
		begins = begins<<8 | int(next)
	}
	return begins
}

func (b *subunitBytes) text() string { return string(b.take(b.number())) }
