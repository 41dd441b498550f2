// Package spec turns CLAUDE.md, IMPLEMENTS.md and code-convention.md into typed documents and back.
//
// Reading is tolerant: every form that was ever written by the known tools is understood, nothing
// panics, and everything that is wrong is reported at once as a [Problem] with a place. Parsing is
// one pass over the lines and linear in the size of the file.
//
// # Identity of the parts of a spec
//
// [Items] cuts a document into the things that code can be held to. An item's id never depends on
// its position, so that inserting one behaviour does not rename the others: it is made from the
// name where there is one (an export, a state, a constant) and from a hash of the text otherwise.
// A behaviour is identified by its input alone, so that a new output is the same behaviour,
// changed, and not another one.
//
// # Hashes
//
// Hashes are taken from what was understood, never from the bytes: blank lines, indentation,
// list markers, line ends, HTML comments and everything outside the contract sections (Exports,
// Behavior, Contract, Protocol, Domain Context, Constraints, Dependencies, conventions) leave them
// alone. [InterfaceHash] and [SymbolHashes] cover what other modules can see: kind, name and
// signature. [ContentHash] covers what the module itself is built from.
//
// # What stops a build
//
// [Check] and [Parse] call a problem an error only when building would mean guessing: bytes that
// are not UTF-8, no Purpose, no Exports or no Behavior section, such a section of which nothing
// can be read, a reference that leaves the project. Everything else is a warning: a missing
// section that may say None means the same as None, and one unreadable line among readable ones
// is named but does not hold up the rest.
package spec
