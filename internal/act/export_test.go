package act

// For tests of what a plan may name as a command, and of the order of logs.
var (
	Forbidden = forbidden
	InOrder   = inOrder
)

// Relevant and FileMap are what authors are shown of a project.
var (
	PointsTo = pointsTo
	Relevant = func(request string, paths []string, read func(string) []byte) string {
		text, _ := relevant(request, paths, read)
		return text
	}
	FileMap = fileMap
	Repeats = repeats
)

// Unmentioned is what is done to a prompt.
var Unmentioned = unmentioned

// AllTests and OneTest are how tests are run; ChecksText is how authors are told.
var (
	AllTests   = allTests
	OneTest    = oneTest
	ChecksText = checksText
	Renamed    = renamed
)
