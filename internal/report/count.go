package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// Countf is fmt.Sprintf for a message that counts things. Formats have the plural: after a 1, the English noun and its verbs become
// singular, as in "1 new test fails" of "%d new tests fail".
func Countf(format string, args ...any) string {
	var b strings.Builder
	next := 0
	for at := value().FindStringSubmatchIndex(format); at != nil; at = value().FindStringSubmatchIndex(format) {
		verb, index := format[at[0]:at[1]], ""
		if at[2] >= 0 {
			index = format[at[2]:at[3]]
		}
		share := strings.HasSuffix(format[:at[0]], " of ") // "1 of 1 tasks", as "0 of 1 tasks"
		b.WriteString(format[:at[1]])
		format = format[at[1]:]
		if verb == "%%" {
			continue
		}
		if n, err := strconv.Atoi(index); err == nil {
			next = n - 1
		}
		if strings.HasSuffix(verb, "d") && !share && next < len(args) && fmt.Sprint(args[next]) == "1" {
			if m := plural().FindStringSubmatch(format); m != nil {
				b.WriteString(m[1] + one(m[2]) + m[3] + third(m[4]) + m[5] + third(m[6]))
				format = format[len(m[0]):]
			}
		}
		next++
	}
	return fmt.Sprintf(b.String()+format, args...)
}

var (
	value  = re.New(`%(?:(?:\[([0-9]+)\])?[-+#0 ]*[0-9]*(?:\.[0-9]+)?[a-zA-Z]|%)`)
	plural = re.New(`^((?: (?:new|changed|other|existing|passing|agent|check))* )([a-zA-Z]+s)\b(?:( )(fail|match|check)\b)?(?:( [a-z ]+ and )(pass)\b)?`)
)

// one is the singular of a noun.
func one(s string) string {
	if s == "fixes" {
		return "fix"
	}
	return strings.TrimSuffix(s, "s")
}

// third is a verb after a singular.
func third(s string) string {
	switch {
	case s == "":
		return ""
	case strings.HasSuffix(s, "ss"), strings.HasSuffix(s, "ch"):
		return s + "es"
	}
	return s + "s"
}
