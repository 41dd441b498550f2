package inspect

import (
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/signature"
	"github.com/jacquard-build/jacquard/internal/source"
)

// found is an export of the code.
type found struct {
	source.Export

	file string
	// byDefault: it is exported as default, and has the name of its declaration here.
	byDefault bool
	// lost is the file of the project that it is said to come from, where that does not have it.
	lost string
	// behind: it is exported to other files of the module, and its face does not offer it.
	behind bool
}

// full is the name under which a spec lists an export: of a member behind that of its type, of an extension of Kotlin
// behind that of the type that it extends.
func (x found) full() string {
	if x.Owner == "" && plainName().MatchString(x.Receiver) {
		return x.Receiver + "." + x.Name
	}
	return memberName(x.Export)
}

// memberName is the name of an export behind that of the type that it is a member of.
func memberName(e source.Export) string { return strings.TrimPrefix(e.Owner+"."+e.Name, ".") }

var plainName = re.New(`^[\pL_][\pL\w.]*$`)

// cutMember cuts the name of a member of a type in two.
func cutMember(name string) (owner, member string, ok bool) {
	i := strings.LastIndexByte(name, '.')
	if i <= 0 {
		return "", name, false
	}
	return name[:i], name[i+1:], true
}

// decorated drops what Python's reader puts before a method.
func decorated(sig string) string {
	return without(sig, "@staticmethod", "@classmethod", "@property", "@overload", "@abstractmethod")
}

// primary is the head of a class of Kotlin up to the types above it, whose arguments are none of its own.
func primary(head string) string {
	head, _, above := signature.Cut(head, ":")
	if above && !strings.Contains(head, "(") {
		head = strings.TrimSpace(head) + "()"
	}
	return head
}

func isClass(kind string) bool { return kind == "class" || kind == "dataclass" || kind == "record" }

// unlisted are members that others can use and that a spec need not list.
func unlisted(x found) bool {
	return x.Kind == "attribute" || x.Kind == "inherited" || x.Kind == "internal"
}
