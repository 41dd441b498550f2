// Package gateway is a model endpoint on the loopback interface that stands
// between an agent and its provider for as long as a turn lasts.
//
// The agent gets a token that is worth nothing outside its turn; the real key
// never enters its environment. Everything the agent asks of a model passes
// here, so here is where calls are counted, where a call that the turn's grant
// does not cover is refused before it is made, where rate limits are seen that
// the agent hides, and where a conversation is recorded or played back.
//
// What answers is a Backend: the provider itself (Forward), a script (Script), a
// person or program that exchanges files (Mailbox), or a recording (Tape.Replay).
// The endpoint serves POST /v1/messages and POST /v1/messages/count_tokens of the
// Anthropic Messages API and POST /v1/responses of the OpenAI Responses API, as
// streams, and nothing else, follows no redirect and talks to no host but its
// provider's. A protocol is reading a request and writing an answer; tokens,
// budget, ledger, backends and tapes know one form for both.
package gateway
