// Package works turns the files of the works/ layout of the WORK pipeline (format 1.3.2) into typed
// documents and back.
//
// Writing is exact: the same value gives the same bytes, in the headings of its language. Texts
// come from agents and people and can hold anything; none of them can forge structure. What stands
// on one line is made one line, a cell escapes its pipes, and a text of several lines has a
// backslash in front of everything that Markdown or the readers of these files would take for a
// heading, a quote (so a line of metadata), a table row, a rule, HTML or an open fence. Reading
// takes these backslashes away again, so that what was written is read back equal, up to white
// space at the ends of lines.
//
// Reading is tolerant: nothing panics, every form that the known versions wrote is understood, and
// what is wrong is reported as a [spec.Problem] with its place. [Read] puts the documents of all
// WORKs together, [Mend] repairs what can be repaired without guessing, and [UpdateList] changes
// the list of WORKs without touching a byte that it does not have to.
//
// Times are wall clock: a time without a zone is read as UTC and written as its own clock says.
package works
