package check

import "slices"

// Verdict is what is said of a change as a whole.
type Verdict string

// The verdicts on a change, from the worst to the best.
const (
	// VerdictBroken: a test passes without the change and fails with it, twice.
	VerdictBroken Verdict = "broken"
	// VerdictWeakened: a test that was there before is skipped, emptied or deleted.
	VerdictWeakened Verdict = "weakened"
	// VerdictUnproved: no test shows that the change does anything.
	VerdictUnproved Verdict = "unproved"
	// VerdictUnknown: it could not be found out; the reason is said.
	VerdictUnknown Verdict = "unknown"
	// VerdictNothing: no code has changed.
	VerdictNothing Verdict = "nothing"
	// VerdictCovered: no new test shows it, but tests notice when the changed functions are wrong.
	VerdictCovered Verdict = "covered"
	// VerdictProved: a new or changed test fails without the change and passes with it.
	VerdictProved Verdict = "proved"
)

// RedBy is how a test fails without the change: what it calls is missing there (weaker), or what it asserts does not hold.
type RedBy string

// The ways to fail without a change.
const (
	RedByCompile RedBy = "compile"
	RedByAssert  RedBy = "assert"
)

// Function is a function that a change touches, and which tests notice when it is wrong.
type Function struct {
	Name string `json:"name"` // "" is code outside of functions
	Path string `json:"path"`
	Line int    `json:"line"`
	// Tried is how many small changes of it were tested, Noticed how many of them a test noticed.
	Tried   int `json:"tried"`
	Noticed int `json:"noticed"`
	// Changed are those of them in lines that the change wrote.
	Changed Outcomes `json:"changed"`
	// By are some of the tests that noticed, new and changed ones first.
	By []string `json:"by,omitempty"`
	// Unreached says that no test comes near it.
	Unreached bool `json:"unreached,omitempty"`
	// Unmutated says that no small change could be made of what the change wrote in it.
	Unmutated bool `json:"unmutated,omitempty"`
	// Generated says that the file said before the change that a program writes it.
	Generated bool `json:"generated,omitempty"`
	// Survived is the last small change that no test noticed, in words, and SurvivedAt its line.
	Survived   string `json:"survived,omitempty"`
	SurvivedAt int    `json:"survived_at,omitempty"`

	// ByNew says that a new or changed test noticed one.
	ByNew   bool `json:"by_new,omitempty"`
	existed bool // before the change
	rows    bool // no function: values of tables
	unsure  bool // there was no time to find out
	sure    bool // that it gives another value went unnoticed, which is no change that means nothing
	blind   bool // the same, or another text, of a line that the change wrote
}

// Outcomes counts small changes of some code that were tested, and those that a test noticed.
type Outcomes struct {
	Tried   int `json:"tried"`
	Noticed int `json:"noticed"`
}

func (o *Outcomes) add(noticed bool) {
	if o.Tried++; noticed {
		o.Noticed++
	}
}

// Missed reports whether tests notice when the function is wrong, but less than half of what was tried in the lines that the change wrote.
func (f Function) Missed() bool {
	return f.Noticed > 0 && 2*f.Changed.Noticed < f.Changed.Tried && !f.unsure
}

// MissedSome reports whether tests notice most of what was tried in the lines that the change wrote, and not all.
func (f Function) MissedSome() bool {
	return f.Noticed > 0 && f.Survived != "" && f.Changed.Noticed < f.Changed.Tried && !f.Missed()
}

// known is all that a verdict is decided by.
type known struct {
	code      bool       // code has changed
	anew      bool       // not only by taking some of it away
	broken    int        // tests that pass without the change and fail with it
	weakened  int        // tests that were skipped, emptied or deleted
	red       []RedBy    // of each new test that passes now and not without the change
	functions []Function // that have changed
	ran       int        // tests that ran and passed
	failing   int        // new tests that fail
	looks     bool       // the change looks for a runner of tests: what they say is nothing that users have
	doubt     int        // tests that fail, of which there was no time to see whether they did before
	excused   bool       // tests fail that passed without the change, and may pass with another runtime
	unknown   string     // why something that matters could not be found out
	silent    string     // why tests that come near the change show nothing here, with it or without
	dead      bool       // their runner ended with an error before it ran any
	late      bool       // the time was over before all of this was known
}

// verdict decides. What was seen stays true however much could not be looked at, so the worst that is known comes first, a
// proof next, and what is missing last.
func (k known) verdict() Verdict {
	switch {
	case k.broken > 0:
		return VerdictBroken
	case k.weakened > 0:
		return VerdictWeakened
	case k.deaf(), k.excused:
		return VerdictUnknown
	case k.failing > 0:
		return VerdictUnproved
	case k.doubt > 0, k.hollow():
		return VerdictUnknown
	case !k.code && k.unknown == "":
		return VerdictNothing
	case k.code && k.proved():
		return VerdictProved
	case k.code && k.covered():
		return VerdictCovered
	case k.unknown != "" || k.late || k.untried():
		return VerdictUnknown
	}
	return VerdictUnproved
}

// deaf: tests come near the change, and none of them passes here, with it or without. What they would say of it nobody knows. Where no code has
// changed, that matters if the runner itself does not work.
func (k known) deaf() bool { return (k.code || k.dead) && k.ran == 0 && k.silent != "" }

// proved: a test that does not compile without the change shows that it names something new, and no more; nor does one show more that fails
// there and lets small changes of all that is new pass. So where a change only adds functions, or such tests are all there is, they have to
// notice a small change of the new code besides, where there is one that they could notice. A name shows nothing of a function that was there before.
func (k known) proved() bool {
	tried, sure, noticed, only := 0, false, false, true
	for _, f := range k.functions {
		tried += f.Tried
		sure = sure || f.sure || f.unseen()
		noticed = noticed || f.ByNew && !f.unseen()
		only = only && f.added()
	}
	if slices.Contains(k.red, RedByAssert) && (!only || len(k.functions) == 0) {
		return true
	}
	return len(k.red) > 0 && (noticed || tried < fewMutants && !sure)
}

// unseen reports whether the function was there before, and no test notices what the change wrote in it.
func (f Function) unseen() bool {
	return f.existed && (f.Tried > 0 && f.Noticed == 0 || f.Changed.Tried >= fewMutants && f.Changed.Noticed == 0)
}

// hollow: tests show the change, and it looks for their runner.
func (k known) hollow() bool { return k.looks && k.code && (k.proved() || k.covered()) }

// added reports whether the change added the function: what was there before can be asserted to be another one.
func (f Function) added() bool { return !f.existed && f.Name != "" }

// covered: each changed function of which a small change was tried has a test that notices one, in the lines that were changed where
// there is enough to mutate, or where one that means something went unnoticed and none was noticed. Generated code is not asked for: what
// generates it is tested. Where nothing is left to try, because code was only removed, the tests that reach the change and pass are all
// that can be asked for.
func (k known) covered() bool {
	if slices.ContainsFunc(k.functions, func(f Function) bool {
		missed := f.Missed() && (f.Changed.Tried >= fewMutants || f.blind && f.Changed.Noticed == 0)
		return !f.Generated && (f.Unreached || f.unsure || missed || f.Tried > 0 && f.Noticed == 0)
	}) {
		return false
	}
	return slices.ContainsFunc(k.functions, func(f Function) bool { return f.Noticed > 0 }) || k.ran > 0 && !k.late && !k.anew
}

// untried: tests reach new code and pass, but it has nothing to mutate, so whether one of them would notice nobody knows.
func (k known) untried() bool {
	return k.code && k.anew && k.ran > 0 && !slices.ContainsFunc(k.functions, func(f Function) bool { return f.Unreached || f.Tried > 0 })
}

// untested are the functions of an unproved change that block: tests come near them and pass, and enough small changes of each went
// unnoticed, one of them in what the change wrote. Where tests notice any of the change, none of the project comes near it, or a program
// wrote it, it is said and blocks nothing: people commit such changes every day.
func (k known) untested() []Function {
	if slices.ContainsFunc(k.functions, func(f Function) bool { return f.Noticed > 0 }) {
		return nil
	}
	return those(k.functions, func(f Function) bool {
		unnoticed := f.Tried >= fewMutants || f.sure // enough to say that tests do not look
		return !f.Unreached && !f.rows && !f.Generated && unnoticed && f.Changed.Tried > 0
	})
}
