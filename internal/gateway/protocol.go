package gateway

import (
	"net/http"
	"time"
)

// protocol is what differs between the languages in which agents ask their
// models. Everything else, the counting above all, is the same for both.
type protocol struct {
	// refused is the status of what the gateway itself refuses: one that ends
	// the agent at once instead of being tried again.
	refused int
	// output is the field of a request that limits its output.
	output string
	// parse reads a request into the form that all backends know.
	parse func(body []byte) (request, error)
	// answer sends a complete reply.
	answer func(r reply, w http.ResponseWriter, stream bool)
	// failure is the body of an answer with that status.
	failure func(status int, text string) any
	// hopeless makes an answer out of one that is no use in trying again, from
	// its status and when the limit ends: a header that says so, or another body.
	hopeless func(h http.Header, status int, resets time.Time) []byte
}

// protocolOf returns the protocol that is spoken at path, and whether one is.
func protocolOf(path string) (protocol, bool) {
	switch path {
	case messagesPath, countPath:
		return protocol{
			// 403 and not 401: agents retry a 401.
			refused: http.StatusForbidden, output: "max_tokens", parse: parseMessages, answer: reply.writeMessages, failure: messagesFailure,
			hopeless: func(h http.Header, _ int, _ time.Time) []byte {
				h.Set("x-should-retry", "false")
				return nil
			},
		}, true
	case responsesPath:
		return protocol{
			// Codex tries again after any status but this one.
			refused: http.StatusBadRequest, output: "max_output_tokens", parse: parseResponses, answer: reply.writeResponses, failure: responsesFailure, hopeless: usageLimit,
		}, true
	default:
		return protocol{}, false
	}
}

// fail answers with a status and a text.
func (p protocol) fail(w http.ResponseWriter, status int, text string) {
	writeJSON(w, status, p.failure(status, text))
}

// refuse answers that the gateway itself does not do what is asked.
func (p protocol) refuse(w http.ResponseWriter, text string) { p.fail(w, p.refused, text) }
