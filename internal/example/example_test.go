package example_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/jacquard-build/jacquard/internal/example"
)

func TestRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ input, output, want string }{
		{"`Twice(2)`", "4", "Twice(2) = 4"},
		{"Twice(-30)", "-60", "Twice(-30) = -60"},
		{"`Round(104)`", "105, to whole five", "Round(104) = 105"},
		{"`greet(\"Ada\")`", "`\"Hello, Ada\"`", `greet("Ada") = "Hello, Ada"`},
		{"`원(1500)`", `"1,500원"`, `원(1500) = "1,500원"`},
		{"`next('new', 'pay')`", "'paid'", `next("new", "pay") = "paid"`},
		{"apply([100, 100], 10)", "180", "apply([100, 100], 10) = 180"},
		{"`new Invoice(1000).total()`", "1030", "new Invoice(1000).total() = 1030"},
		{"`Invoice { amount: 1000 }.total()`", "1030", "new Invoice({\"amount\": 1000}).total() = 1030"},
		{"`Fee.of(999)`", "0", "Fee.of(999) = 0"},
		{"`await load(1)`", "true", "load(1) = true"},
		{"`Sum([]int{1, -2}, nil)`", `[]string{"}"}`, `Sum([1, -2], null) = ["}"]`},
		{"`f(map[string][]int{\"a\": {1}}, [2]shop.Item{{ID: 1}, {ID: 2}})`", "map[int]bool{}", `f({"a": [1]}, [{"ID": 1}, {"ID": 2}]) = {}`},
		{"`split('a b')`", `["a", "b"]`, `split("a b") = ["a", "b"]`},
		{"`divmod(7, 2)`", "3, 1", "divmod(7, 2) = [3, 1]"},
		{"`f({a: 1, 'b': [2]})`", "{}", `f({"a": 1, "b": [2]}) = {}`},
		{"`f(1_000, 0x10, 2.50, 5u8)`", "1e3", "f(1000, 16, 2.50, 5) = 1e3"},
		{"`f()`", "None", "f() = null"},
		{"`f('\\u00e9\\n')`", "nil", `f("é\n") = null`},
		{"`Twice(1001)`", "error, over the limit", "Twice(1001) = error"},
		{"`f(-1)`", "throws `RangeError`", "f(-1) = error RangeError"},
		{"`f(-1)`", "ValueError", "f(-1) = error ValueError"},
		{"`f(-1)`", "ValueError: is negative", "f(-1) = error ValueError"},
		{"`f(-1)`", "`Err(FeeError::Negative)`", "f(-1) = error Negative"},
		{"`f(-1)`", "`ErrFull`", "f(-1) = error ErrFull"},
		{"`f(-1)`", "예외", "f(-1) = error"},
		{"`f(1)`", "`4` (twice)", "f(1) = 4"},

		{"f('a`b', \"`\")", "`1`", "f(\"a`b\", \"`\") = 1"},
		{"`f('a`b')`", "1", "f(\"a`b\") = 1"},
		{"`f(1)` and `g('a')`", "1", ""},
		{"`f(g(1), [new T('a')])`", "4", "f(g(1), [new T(\"a\")]) = 4"},
		{"`f(1).size`", "4", "f(1).size = 4"},
		{"`f(1)[0].a['b']`", "4", "f(1)[0].a[\"b\"] = 4"},
		{"`f(1).a.b.c()`", "4", "f(1).a.b.c() = 4"},
		{"`s = Stack(3); s.push(1); s.push(2); s.items().length`", "2", "s = Stack(3); s.push(1); s.push(2); s.items().length = 2"},
		{"`const s = new Stack(); s.size;`", "0", "new Stack().size = 0"},
		{"`s := NewStack().Named('a'); s.Push(1); s.Pop()`", "1", "s = NewStack().Named(\"a\"); s.Push(1); s.Pop() = 1"},

		{"`s = Stack(3); push(1); s.pop()`", "1", ""},
		{"`s = Stack(3); s.items().add(1); s.pop()`", "1", "s = Stack(3); s.items().add(1); s.pop() = 1"},
		{"`s = 3; s.pop()`", "1", ""},
		{"`s == Stack(3)`", "true", ""},
		{"`f(1)`", "g(1)", ""},
		{"push 1, push 2, pop", "2", ""},
		{"a file that is not there", "an empty list", ""},
		{"`sent` + `return`", "`returned`", ""},
		{"`Sum` of 1, 2", "3", ""},
		{"Take(\"a\") for the first time", "true", ""},
		{"`f(x)`", "4", ""}, // x is whatever it is
		{"`f(Color.RED, Level::High, MAX)`", "4", "f(Color.RED, Level.High, MAX) = 4"},
		{"`f({High: 1})`", "4", "f({\"High\": 1}) = 4"},
		{"`f(T(1).twice(), [U::new(2).size], V{a: 1})`", "4", "f(T(1).twice(), [U.new(2).size], new V({\"a\": 1})) = 4"},
		{"`shared(V { a: 1, b: 2 }, V { a: 5, b: 9 })`", "4", "shared(new V({\"a\": 1, \"b\": 2}), new V({\"a\": 5, \"b\": 9})) = 4"},
		{"`f(lambda a: a)`", "4", ""}, // what a text says is not run
		{"`f(a => a)`", "4", ""},
		{"`a = T(1); b = T(2); b.add(3); a.join(b); a.sum()`", "6", "a = T(1); b = T(2); b.add(3); a.join(b); a.sum() = 6"},
		{"`a = parse('1'); format(a.half())`", "4", "a = parse(\"1\"); format(a.half()) = 4"},
		{"`r = Range(1, 3); r = r.shift(2); r.end`", "5", "r = Range(1, 3); r = r.shift(2); r.end = 5"},
		{"`a = T(1); f(a, [a])`", "6", "a = T(1); f(a, [a]) = 6"},
		{"`n = [1, 2]; a = T(n); a.sum()`", "3", "T([1, 2]).sum() = 3"},
		{"`f(1)`", "100 cents", ""},
		{"`f(1)`", "about 4", ""},
		{"`f(1)`", "4, or 5 in summer", ""},
		{"`f(1)`", "4 or 5", ""},
		{"`f(1)`", "Claims", ""},
		{"`f(1)`", "`paid`", ""},
		{"`f(5ms)`", "4", ""},
		{"`f(1)`", "100원", ""},
		{"`f('\\q')`", "4", ""},
		{"`f('a)`", "4", ""},
		{"`f(1`", "4", ""},
		{"", "", ""},
	} {
		got := ""
		if e, why := example.Read(c.input, c.output); why == "" {
			got = e.String()
		}
		if got != c.want {
			t.Errorf("%s → %s: %q, want %q", c.input, c.output, got, c.want)
		}
	}
}

// TestReadCall: calls that were written as such may give constants, and errors of any name.
func TestReadCall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		gives, given string
		holds        bool
	}{
		{"Color.RED", `{"value":{"$type":"Color","$text":"Color.RED","$name":"RED","$value":1}}`, true},
		{"RED", `{"value":{"$type":"Color","$text":"Color.BLUE","$name":"BLUE","$value":2}}`, false},
		{"Level::High", `{"value":{"$type":"High","$text":"High","$name":"High"}}`, true},
		{"Conflict", `{"error":{"names":["Conflict","Exception"],"text":""}}`, true},
		{"Conflict", `{"error":{"names":["KeyError"],"text":""}}`, false},
		{"Conflict", `{"value":1}`, false},
		{`KeyError("b")`, `{"error":{"names":["KeyError"],"text":"'b'"}}`, true},
		{`KeyError("b")`, `{"error":{"names":["KeyError"],"text":"'a'"}}`, false},
		{`Err(GroupError::Cycle(["a", "b"]))`, `{"error":{"names":["Cycle"],"text":"Cycle([\"a\", \"b\"])"}}`, true},
		{`Err(Cycle(["b", "a"]))`, `{"error":{"names":["Cycle"],"text":"Cycle([\"a\", \"b\"])"}}`, false},
	} {
		e, why := example.ReadCall("f(1)", c.gives)
		var o example.Outcome
		if err := json.Unmarshal([]byte(c.given), &o); err != nil || why != "" {
			t.Fatal(err, why)
		}
		if got := e.Want.Holds(o); got != c.holds {
			t.Errorf("%s with %s: %v, want %v", c.gives, c.given, got, c.holds)
		}
	}
	for call, want := range map[string]string{
		"f(lambda a, b: a < b, 2)":                              "f(lambda a, b: a < b, 2) = 4",
		"f([1], (a, b) => g(a, ')'), x => [x, 1])":              "f([1], (a, b) => g(a, ')'), x => [x, 1]) = 4",
		"f(|a, b| a < b, func(a, b int) bool { return a < b })": "f(|a, b| a < b, func(a, b int) bool { return a < b }) = 4",
		"Color.RED.value":                                       "Color.RED.value = 4",
		"color":                                                 "",
		"f(lambda a: )":                                         "", "set(1); get()": "set(1); get() = 4",
		"f(a => a": "", "f(1)(2).a(3)": "f(1)(2).a(3) = 4", "rules[\"a\"](1)": "rules[\"a\"](1) = 4",
	} {
		got := ""
		if e, why := example.ReadCall(call, "4"); why == "" {
			got = e.String()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", call, got, want)
		}
	}
	if _, why := example.ReadCall("f(1) or so", "RED"); why == "" {
		t.Error("what is no call is read")
	}
	for _, gives := range []string{"paid", "about 4", "Color of it", ""} {
		if _, why := example.ReadCall("f(1)", gives); why == "" {
			t.Errorf("%q is read", gives)
		}
	}
}

func TestEarlier(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ call, earlier, twice string }{
		{"f(1)", "", ""},
		{"c = T(1); c.sum()", "", ""},
		{"c = T(1); c.add(2); d = T(2); c.sum()", "", ""},
		{`c = T(";"); c.add(2); c.sum()`, `c = T(";"); c.sum(); c.add(2); c.sum()`, `c = T(";"); c.add(2); c.sum(); c.sum()`},
		{"c = T(1); k := U(c); k.a(x => { y; }); k.b(); k.c", "c = T(1); k := U(c); k.c; k.a(x => { y; }); k.c; k.b(); k.c", "c = T(1); k := U(c); k.a(x => { y; }); k.b(); k.c; k.c"},
	} {
		earlier, twice, ok := example.Earlier(c.call)
		if earlier != c.earlier || twice != c.twice || ok != (c.earlier != "") {
			t.Errorf("%s: %q, %q, %v", c.call, earlier, twice, ok)
		}
	}
}

func TestHolds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want, given string
		holds       bool
	}{
		{"4", `{"value":4}`, true},
		{"4", `{"value":4.0}`, true},
		{"4", `{"value":5}`, false},
		{"4", `{"value":"4"}`, false},
		{"4", `{"value":null}`, false},
		{"4", `{}`, false},
		{"9007199254740993", `{"value":9007199254740992}`, false},
		{"0", `{"value":{"$type":"Decimal","$text":"0.00"}}`, true},
		{"1", `{"value":{"$type":"Decimal","$text":"0.10"}}`, false},
		{"0.3", `{"value":0.30000000000000004}`, true},
		{"0.3", `{"value":0.3001}`, false},
		{`"a"`, `{"value":"a"}`, true},
		{`"a"`, `{"value":"b"}`, false},
		{`"a"`, `{"value":{"$type":"State","$text":"a"}}`, true},
		{`"a"`, `{"value":{"$type":"State","$text":"State.A","$name":"A","$value":"a"}}`, true},
		{`"a"`, `{"value":{"$type":"State","$text":"b"}}`, false},
		{"true", `{"value":true}`, true},
		{"true", `{"value":1}`, false},
		{"null", `{"value":null}`, true},
		{"undefined", `{"value":{"$type":"undefined","$text":"undefined"}}`, true},
		{"undefined", `{"value":null}`, false},
		{"[1, [2]]", `{"value":[1,[2]]}`, true},
		{"[1, 2]", `{"value":[1]}`, false},
		{"[]", `{"value":{"$type":"nil","$text":"","$value":[]}}`, true},
		{"nil", `{"value":{"$type":"nil","$text":"","$value":[]}}`, true},
		{"{a: 1}", `{"value":{"a":1}}`, true},
		{"{a: 1}", `{"value":{"a":1,"b":2}}`, false},
		{"{a: 1}", `{"value":{"$type":"T","$text":"T","$fields":{"A":1,"B":2}}}`, true},
		{"{a: 1}", `{"value":{"$type":"T","$text":"T","$fields":{"A":2}}}`, false},
		{"4", `{"value":[4,true],"several":true}`, true},
		{"4", `{"value":[4,true]}`, false},
		{"4, nil", `{"value":[4],"several":true}`, true},
		{"4", `{"error":{"names":["ValueError"],"text":""}}`, false},
		{"error", `{"error":{"names":["ValueError"],"text":""}}`, true},
		{"error", `{"value":4}`, false},
		{"KeyError", `{"error":{"names":["Missing","KeyError","LookupError"],"text":""}}`, true},
		{"KeyError", `{"error":{"names":["ValueError"],"text":""}}`, false},
	} {
		e, why := example.Read("f()", c.want)
		if why != "" {
			t.Fatalf("%s: %s", c.want, why)
		}
		var o example.Outcome
		if err := json.Unmarshal([]byte(c.given), &o); err != nil {
			t.Fatal(err)
		}
		if got := e.Want.Holds(o); got != c.holds {
			t.Errorf("want %s, given %s: %v", c.want, c.given, got)
		}
	}
}

// A call that is told twice is not believed: the code under proof may have written one of the lines.
func TestOutcomesToldTwice(t *testing.T) {
	t.Parallel()
	got := example.Outcomes([]byte("{\"id\":\"a\",\"value\":4}\nnoise\n{\"id\":\"b\",\"value\":1}\n{\"id\":\"a\",\"value\":5}\n"))
	if len(got) != 2 || got["a"].Cannot == "" || got["b"].Cannot != "" {
		t.Errorf("%+v", got)
	}
}

// An object without a text of its own is told by its fields.
func TestGiven(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		`{"$type":"Price","$text":"[object Object]","$fields":{"cents":3}}`:                    `Price {"cents":3}`,
		`{"$type":"shop.Price","$text":"<shop.Price object at 0x7f01>","$fields":{"cents":3}}`: `shop.Price {"cents":3}`,
		`{"$type":"Price","$text":"3 cents","$fields":{"cents":3}}`:                            "3 cents",
		`"한"`: `"한"`,
	} {
		if got := (example.Outcome{Value: []byte(value)}).Given(); got != want {
			t.Errorf("%s: %s, want %s", value, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("`f(1, 'a', [2.5, {b: None}])`", "-4, as ever")
	f.Add("new T { a: 1 }.b()", "Err(T::X)")
	f.Fuzz(func(t *testing.T, input, output string) {
		e, why := example.Read(input, output)
		if why != "" {
			return
		}
		if len(e.Call) == 0 || e.Symbol() == "" {
			t.Fatalf("%q → %q: an example without a call", input, output)
		}
		raw, err := json.Marshal(example.Plan{Calls: []example.Call{{ID: "a", Links: e.Call}}})
		if err != nil || !json.Valid(raw) {
			t.Fatalf("%q: %v", input, err)
		}
	})
}

func TestInText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"`sub(3, 2)` returns 1": {"sub(3, 2) = 1"},
		"sub(3, 2) is 1.":       {"sub(3, 2) = 1"},
		"`sub(3, 2)` returns 1 and `sub(2, 3)` returns -1":       {"sub(3, 2) = 1", "sub(2, 3) = -1"},
		"sub(3, 2) == 1, sub(2, 3) == -1":                        {"sub(3, 2) = 1", "sub(2, 3) = -1"},
		"It is plain that `slug('A b')` gives `'a-b'`, in ASCII": {`slug("A b") = "a-b"`},
		"- `half(-1)` throws `RangeError`\n- half(4) → 2":        {"half(-1) = error RangeError", "half(4) = 2"},
		"`new Cart(2).total()` should be 4":                      {"new Cart(2).total() = 4"},
		"half(-1) raises ValueError":                             {"half(-1) = error ValueError"},
		"sub(3, 2) is 1 in the new version":                      {"unread: sub(3, 2) is 1 in the new version"},
		"sub(3, 2) is 1 or 2":                                    {"unread: sub(3, 2) is 1 or 2"},
		"sub(a, b) returns 1":                                    nil,
		"the page shows total(3)":                                {"unread: total(3)"},
		"call sub(3, 2), then look":                              {"unread: sub(3, 2), then look"},
		"sub(3, 2) isolates 1":                                   {"unread: sub(3, 2) isolates 1"},
		"if (x) is 1":                                            nil,
		"":                                                       nil,
		"discount(995, 10)은 895를 돌려준다":                           {"discount(995, 10) = 895"},
		"`discount(995, 10)`은 `895`를 반환해야 한다.":                   {"discount(995, 10) = 895"},
		"sub(3, 2)는 1이고 sub(2, 3)은 -1이다.":                        {"sub(3, 2) = 1", "sub(2, 3) = -1"},
		"slug('A b')의 결과는 'a-b'입니다":                              {`slug("A b") = "a-b"`},
		"slug('를 반환')을 호출하면 '를 반환한다'가 나온다":                       {`slug("를 반환") = "를 반환한다"`},
		"half(4) → 2 반환":                                         {"half(4) = 2"},
		"half(-1)은 `RangeError`를 던진다":                            {"half(-1) = error RangeError"},
		"half(-1)을 호출하면 오류가 발생한다":                                {"half(-1) = error"},
		"sub(3, 2)는 1을 돌려주지 않는다":                                 {"unread: sub(3, 2)는 1을 돌려주지 않는다"},
		"sub(3, 2)는 1을 반환하면 안 된다":                                {"unread: sub(3, 2)는 1을 반환하면 안 된다"},
		"sub(3, 2)는 1 또는 2를 돌려준다":                                {"unread: sub(3, 2)는 1 또는 2를 돌려준다"},
		"sub(3, 2)는 1을 반환하거나 2를 반환한다":                            {"unread: sub(3, 2)는 1을 반환하거나 2를 반환한다"},
		"sub(3, 2)는 1이 아니다":                                      {"unread: sub(3, 2)는 1이 아니다"},
		"sub(3, 2)는 1원을 돌려준다":                                    {"unread: sub(3, 2)는 1원을 돌려준다"},
		"sub(3, 2)는 1을 반환한다는 뜻이 아니다":                             {"unread: sub(3, 2)는 1을 반환한다는 뜻이 아니다"},
	} {
		list, unread := example.InText(text)
		var got []string
		for _, e := range list {
			got = append(got, e.String())
		}
		for _, e := range unread {
			got = append(got, "unread: "+e.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestFirst: what a sequence is about is not the list or map that it fills.
func TestFirst(t *testing.T) {
	t.Parallel()
	for call, want := range map[string]string{
		"c = Cart(); c.add(1); c.total()":                                 "Cart",
		"seen = Map([]); walk(seen); seen.size":                           "walk",
		"seen = new Set(); c = Cart(seen); c.add(1); seen.size":           "Cart",
		"slept = list(); retry(3, lambda s: slept.append(s)); len(slept)": "retry",
		"slept = list(); retry(3, lambda s: slept.append(s)); slept[0]":   "retry",
		`m = Map([]); m.set("a", 1); first(m)`:                            "first",
		`m = Map([]); m.set("a", 1); m.get("a")`:                          "Map",
		"d = Duration(5); d.add(Duration(3)); d.minutes":                  "Duration",
	} {
		e, why := example.ReadCall(call, "1")
		if why != "" || e.Symbol() != want {
			t.Errorf("%s: %s %s, want %s", call, e.Symbol(), why, want)
		}
	}
}

// TestComparable: only values of the kind that is wanted can be wrong.
func TestComparable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want, got string
		yes       bool
	}{
		{"4", `{"value":5}`, true},
		{"4", `{"value":"4"}`, false},
		{`"a"`, `{"value":"b"}`, true},
		{`"a"`, `{"value":{"$type":"T","$text":"b"}}`, false},
		{`"a"`, `{"value":{"$type":"Date","$text":"b","$value":"b"}}`, false},
		{"4", `{"value":{"$type":"Decimal","$text":"5.00","$fields":{}}}`, true},
		{"4", `{"value":{"$type":"Money","$text":"5 EUR","$fields":{}}}`, false},
		{"4", `{"value":{"$type":"time.Duration","$text":"5ns","$value":5}}`, true},
		{"[1]", `{"value":{"$type":"nil","$text":"","$value":[]}}`, true},
		{"true", `{"value":false}`, true},
		{"[1]", `{"value":[2]}`, true},
		{"[1]", `{"value":[2, 3],"several":true}`, false},
		{`{"a": 1}`, `{"value":{"a":2}}`, true},
		{`{"a": 1}`, `{"value":{"b":2}}`, false},
		{`{"a": 1}`, `{"value":{"A":2}}`, true},
		{`{"a": 1}`, `{"value":{}}`, true}, // a is missing
		{`{"a": 1, "b": 2}`, `{"value":{"b":2}}`, true},
		{`{"a": 1, "b": 2}`, `{"value":{"c":2}}`, false},
		{`{"a": 1, "b": null}`, `{"value":{"a":2}}`, false},
		{`{"a": 1, "b": 0}`, `{"value":{"a":2}}`, false},
		{`{"a": ""}`, `{"value":{}}`, true},
		{`{"a": 1}`, `{"value":{"a":1,"b":2}}`, false}, // that it has more may be left open
		{`{}`, `{"value":{"a":1}}`, true},
		{`{"a": 1}`, `{"value":{"$type":"T","$text":"b","$fields":{}}}`, false},
		{`{"a": 1}`, `{"value":{"$type":"T","$text":"b","$fields":{"a":2}}}`, true},
		{`{"a": 1}`, `{"value":{"$type":"T","$text":"b","$fields":{"b":1}}}`, false},
		{"null", `{"value":3}`, true},
		{"null", `{"value":{"$type":"undefined","$text":"undefined"}}`, false},
		{"undefined", `{"value":null}`, false},
		{"3", `{"value":{"$type":"undefined","$text":"undefined"}}`, true},
		{"3", `{"value":null}`, true},
		{"3", `{"error":{"names":["E"],"text":""}}`, true},
		{"error", `{"value":3}`, true},
		{"Color.RED", `{"value":{"$type":"Color","$text":"Color.BLUE","$name":"BLUE","$value":2}}`, true},
		{"Conflict", `{"value":3}`, false},
		{"Conflict", `{"error":{"names":["E"],"text":""}}`, true},
	} {
		e, why := example.ReadCall("f()", c.want)
		var o example.Outcome
		if err := json.Unmarshal([]byte(c.got), &o); err != nil || why != "" {
			t.Fatal(err, why)
		}
		if got := e.Want.Comparable(o); got != c.yes {
			t.Errorf("%s with %s: %v, want %v", c.want, c.got, got, c.yes)
		}
	}
}
