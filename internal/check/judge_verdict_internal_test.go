package check

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// TestVerdicts is the decision alone: what is known, and what is said of it.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	kills, survives, untried := Function{Name: "A", Tried: 1, Noticed: 1, ByNew: true}, Function{Name: "B", Tried: 2, Changed: Outcomes{Tried: 1}}, Function{Name: "C"}
	old := Function{Name: "D", Tried: 1, Noticed: 1}
	before := Function{Name: "E", existed: true}
	for name, c := range map[string]struct {
		known
		want   Verdict
		blocks int
	}{
		"no code":                                            {known{}, VerdictNothing, 0},
		"no code, and nothing could be run":                  {known{unknown: "no tool chain"}, VerdictUnknown, 0},
		"no code, and no time for its tests":                 {known{unknown: "the time limit was reached", late: true}, VerdictUnknown, 0},
		"no code, and no time for the rest":                  {known{late: true}, VerdictNothing, 0},
		"no code, and a test is gone":                        {known{weakened: 1}, VerdictWeakened, 0},
		"no code, and a test fails":                          {known{broken: 1, weakened: 1}, VerdictBroken, 0},
		"an assertion fails without":                         {known{code: true, red: []RedBy{RedByCompile, RedByAssert}, functions: []Function{survives, before}}, VerdictProved, 1},
		"that a name is there is asserted, none dies":        {known{code: true, red: []RedBy{RedByAssert}, functions: []Function{survives}}, VerdictUnproved, 1},
		"that a name is there is asserted, one dies":         {known{code: true, red: []RedBy{RedByAssert}, functions: []Function{kills}}, VerdictProved, 0},
		"it does not compile without, a mutant dies":         {known{code: true, red: []RedBy{RedByCompile}, functions: []Function{kills, survives}}, VerdictProved, 0},
		"it does not compile without, none dies":             {known{code: true, red: []RedBy{RedByCompile}, functions: []Function{survives}}, VerdictUnproved, 1},
		"it does not compile without, an old test sees":      {known{code: true, red: []RedBy{RedByCompile}, functions: []Function{old, {Tried: 1}}}, VerdictUnproved, 0},
		"it does not compile without, nothing to try":        {known{code: true, red: []RedBy{RedByCompile}, functions: []Function{untried}}, VerdictProved, 0},
		"it does not compile without, what was old dies not": {known{code: true, red: []RedBy{RedByCompile}, functions: []Function{{existed: true, Tried: 1}}}, VerdictUnproved, 0},
		"a proof, and no time for the rest":                  {known{code: true, red: []RedBy{RedByAssert}, late: true}, VerdictProved, 0},
		"a proof that looks for its runner":                  {known{code: true, looks: true, red: []RedBy{RedByAssert}}, VerdictUnknown, 0},
		"no proof, and it looks for a runner":                {known{code: true, looks: true}, VerdictUnproved, 0},
		"old tests notice":                                   {known{code: true, functions: []Function{old, untried}}, VerdictCovered, 0},
		"old tests notice one of two":                        {known{code: true, functions: []Function{old, survives}}, VerdictUnproved, 0},
		"old tests notice one, none is near the other":       {known{code: true, functions: []Function{old, {Unreached: true}}}, VerdictUnproved, 0},
		"old tests notice one, no time for the other":        {known{code: true, functions: []Function{old, {unsure: true}}, late: true}, VerdictUnknown, 0},
		"old tests notice less than half of it":              {known{code: true, functions: []Function{{Tried: 4, Noticed: 1, Changed: Outcomes{Tried: 4, Noticed: 1}}}}, VerdictUnproved, 0},
		"old tests notice half of it":                        {known{code: true, functions: []Function{{Tried: 2, Noticed: 1, Changed: Outcomes{Tried: 2, Noticed: 1}}}}, VerdictCovered, 0},
		"another value in a changed line goes unnoticed":     {known{code: true, functions: []Function{{Tried: 2, Noticed: 1, blind: true, Changed: Outcomes{Tried: 1}}}}, VerdictUnproved, 0},
		"a change in a changed line may mean nothing":        {known{code: true, functions: []Function{{Tried: 2, Noticed: 1, Changed: Outcomes{Tried: 1}}}}, VerdictCovered, 0},
		"code is gone and tests pass":                        {known{code: true, ran: 3}, VerdictCovered, 0},
		"new code that has nothing to mutate":                {known{code: true, anew: true, ran: 3, functions: []Function{untried}}, VerdictUnknown, 0},
		"new code with nothing to mutate, none looks":        {known{code: true, anew: true}, VerdictUnproved, 0},
		"new code that is noticed in part":                   {known{code: true, anew: true, ran: 3, functions: []Function{old, untried}}, VerdictCovered, 0},
		"code is gone and there was no time":                 {known{code: true, ran: 3, late: true}, VerdictUnknown, 0},
		"code is gone and no test looks":                     {known{code: true}, VerdictUnproved, 0},
		"nothing notices what a program wrote":               {known{code: true, functions: []Function{{Generated: true, Tried: 3, sure: true, Changed: Outcomes{Tried: 3}}}}, VerdictUnproved, 0},
		"old tests notice all but what a program wrote":      {known{code: true, functions: []Function{old, {Generated: true, Unreached: true}}}, VerdictCovered, 0},
		"a proof, and another new test fails":                {known{code: true, red: []RedBy{RedByAssert}, failing: 1}, VerdictUnproved, 0},
		"a proof, and nobody knows what fails":               {known{code: true, red: []RedBy{RedByAssert}, doubt: 1, late: true}, VerdictUnknown, 0},
		"one mutant may be no change":                        {known{code: true, functions: []Function{{Tried: 1}}}, VerdictUnproved, 0},
		"another value is no such one":                       {known{code: true, functions: []Function{{Tried: 1, sure: true, Changed: Outcomes{Tried: 1}}}}, VerdictUnproved, 1},
		"it does not compile without, and gives another":     {known{code: true, red: []RedBy{RedByCompile}, functions: []Function{{Tried: 1, sure: true, Changed: Outcomes{Tried: 1}}}}, VerdictUnproved, 1},
		"nothing notices, and time was over":                 {known{code: true, functions: []Function{survives}, late: true}, VerdictUnknown, 1},
		"what nothing notices was there before":              {known{code: true, functions: []Function{{Tried: 2}}}, VerdictUnproved, 0},
		"no test runs here":                                  {known{code: true, silent: "no loader", failing: 1}, VerdictUnknown, 0},
		"one does not run here, others do":                   {known{code: true, silent: "no loader", ran: 2}, VerdictCovered, 0},
		"no test runs, and no code has changed":              {known{silent: "no loader"}, VerdictNothing, 0},
		"the runner does not work, no code has changed":      {known{silent: "exit 1", dead: true}, VerdictUnknown, 0},
		"it did not work once, and other tests pass":         {known{silent: "exit 1", dead: true, ran: 1}, VerdictNothing, 0},
		"it does not run here":                               {known{code: true, unknown: "go is not installed"}, VerdictUnknown, 0},
	} {
		if got := c.verdict(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if got := len(c.untested()); got != c.blocks {
			t.Errorf("%s: %d functions would block, want %d", name, got, c.blocks)
		}
	}
}

// TestSelections: where all tests near a function take long, the ones that call it and the ones that are new are run before them.
func TestSelections(t *testing.T) {
	t.Parallel()
	const file = "a_test.go"
	x := &chainJudge{
		tested: &tested{passing: map[string]bool{file + "::TestTrim": true, file + "::TestOther": true, file + "::TestNew": true}},
		files:  map[string][]byte{file: []byte("package a\n\nfunc TestTrim(t *T) { Trim() }\nfunc TestOther(t *T) { Trimmed() }\nfunc TestNew(t *T) {}\nfunc TestRed(t *T) { Trim() }\n")},
		fresh:  []test{{ID: file + "::TestNew"}},
	}
	all := []toolchain.Selection{{Files: []string{file}}}
	first := toolchain.Selection{IDs: []string{file + "::TestTrim", file + "::TestNew"}}
	for took, want := range map[time.Duration][]toolchain.Selection{longTests: all, longTests + 1: append([]toolchain.Selection{first}, all...)} {
		x.took = took
		if got := x.selections(&trial{Function: Function{Name: "List.Trim"}}, []string{file}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", took, got, want)
		}
	}
}

// TestConverts: a test that takes an iterator for a list, or waits, asserts the same; one that leaves out an order or a value does not.
func TestConverts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		was, is string
		want    bool
	}{
		{"assert tags ( 3 ) == [ 1 ]", "assert list ( tags ( 3 ) ) == [ 1 ]", true},
		{"assert . deepEqual ( ids ( ) , [ 1 ] )", "assert . deepEqual ( [ ... ids ( ) ] , [ 1 ] )", true},
		{"( ) => { equal ( f ( ) , 1 ) }", "async ( ) => { equal ( await f ( ) , 1 ) }", true},
		{"assert f ( ) == 1", "assert asyncio . run ( f ( ) ) == 1", true},
		{"assert f ( ) == [ 2 , 1 ]", "assert sorted ( f ( ) ) == [ 1 , 2 ]", false},
		{"assert f ( ) == 10", "assert f ( ) in ( 10 , 50 )", false},
		{"assert f ( ) == 10", "assert f ( ) == 10", false},
		{"ok ( f ( ) === 1 )", "ok ( [ f ( ) === 1 ] )", false},
		{"assert f ( ) == 1 , m", "assert ( f ( ) == 1 , m )", false},
		{"await expect ( p ) . rejects", "expect ( p ) . rejects", false},
	} {
		if got := converts(c.was, c.is); got != c.want {
			t.Errorf("%s → %s converts: %v, want %v", c.was, c.is, got, c.want)
		}
	}
}

// TestGenerated is by what a file is known that a program writes. Words about generators further below, or in code, are none.
func TestGenerated(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"// Code generated by stringer -type=Pill. DO NOT EDIT.\n\npackage pill\n":              true,
		"# -*- coding: utf-8 -*-\n# Generated by the protocol buffer compiler.  DO NOT EDIT!\n": true,
		"/*\n * This file is auto-generated.\n */\nexport const a = 1;\n":                       true,
		"/** Returns an auto-generated id. */\nexport const id = () => 1;\n":                    false,
		"// @generated by protobuf-ts 2.9\n":                                                    true,
		"/******/ (function(modules) { // webpackBootstrap\n":                                   true,
		"(function(f){" + strings.Repeat("if(typeof g){}", 40) + "})\n":                         true,
		"// Package made reads generated code.\npackage made\n":                                 false,
		"const mark = \"Code generated by hand. DO NOT EDIT.\"\n":                               false,
		strings.Repeat("// a line\n", 300) + "// Code generated by me. DO NOT EDIT.\n":          false,
		"": false,
	} {
		if got := generated([]byte(text)); got != want {
			t.Errorf("%.60q: generated %t, want %t", text, got, want)
		}
	}
}
