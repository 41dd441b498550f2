package check

import (
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// contents are the rules about the bytes of a file, in any language.
func contents(f *file) []step.Finding {
	var out []step.Finding
	const smallData = 256 << 10
	switch {
	case len(f.New) > hugeFile:
		return []step.Finding{reject("huge-file", f.Path, 0, "This file is larger than 1 MiB. Remove it, or generate its content when it is needed.")}
	case binary(f.New) && f.class == toolchain.TestData && len(f.New) <= smallData:
		return nil
	case f.new.Failed: // then no rule would see anything of it
		return []step.Finding{reject("huge-file", f.Path, 0, "This file takes too long to read. Split it, or write it more simply.")}
	case binary(f.New):
		return []step.Finding{reject("binary-file", f.Path, 0, "This is a binary file. Remove it.")}
	}
	if f.class != toolchain.Source && f.class != toolchain.Test {
		for _, l := range f.lines {
			text, _, _ := strings.Cut(l.text, " #")
			if !strings.HasPrefix(strings.TrimSpace(text), "#") && swallow().MatchString(text) && checkWord().MatchString(text) {
				out = append(out, reject("exit-swallowed", f.Path, l.n, "This line hides the failure of a check. Let the exit code through."))
			}
		}
	}
	for _, l := range f.lines {
		for _, s := range secrets {
			if m := s.re().FindString(l.text); m != "" && !sample().MatchString(m) {
				out = append(out, reject("secret", f.Path, l.n, "This looks like "+s.name+". Do not put secrets into files; read it from the environment."))
				break
			}
		}
	}
	return out
}

var (
	swallow   = re.New(`\|\|\s*(true|:|exit\s+0|echo)(\s|;|"|'|$)|;\s*(true|exit\s+0)\s*("|'|$)|continue-on-error:\s*true|--passWithNoTests|--exit-zero|\bset \+e\b`)
	checkWord = re.New(`(?i)\b(test|tests|lint|vet|build|check|tsc|pytest|jest|vitest|mocha|eslint|ruff|mypy|npm|pnpm|yarn|go|cargo|mvn|gradle|make|verify|ci)\b|continue-on-error|passWithNoTests`)
)

// secrets are the shapes of credentials that are never anything else.
var secrets = []struct {
	name string
	re   re.Regexp
}{
	{"an AWS access key", re.New(`\b(AKIA|ASIA)[0-9A-Z]{16}\b`)},
	{"a GitHub token", re.New(`\b(gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})`)},
	{"a Slack token", re.New(`\bxox[abprs]-[0-9]{6,}-[A-Za-z0-9-]{10,}`)},
	{"an Anthropic key", re.New(`\bsk-ant-[A-Za-z0-9_-]{24,}`)},
	{"an OpenAI key", re.New(`\bsk-(proj-)?[A-Za-z0-9]{32,}`)},
	{"a Google API key", re.New(`\bAIza[0-9A-Za-z_-]{35}\b`)},
	{"a Stripe key", re.New(`\b[rs]k_live_[0-9A-Za-z]{20,}`)},
	{"an npm token", re.New(`\bnpm_[A-Za-z0-9]{36}\b`)},
	{"a private key", re.New(`-----BEGIN ((RSA|EC|DSA|OPENSSH|PGP|ENCRYPTED) )?PRIVATE KEY( BLOCK)?-----`)},
}

// sample is in credentials that say so themselves.
var sample = re.New(`(?i)example|dummy|fake|sample|placeholder|x{6,}|0{8,}|1234567890`)

// unsure are the words of an author who does not know.
var unsure = re.New(`(?i)\b(should work|should now work|probably|hopefully|i think|i believe|might work|not sure|seems to work|untested|did not run|could not run|couldn't run)\b`)
