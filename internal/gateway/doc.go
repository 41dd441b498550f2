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
// The endpoint serves POST /v1/messages and POST /v1/messages/count_tokens and
// nothing else, follows no redirect and talks to no host but its provider's.
package gateway
