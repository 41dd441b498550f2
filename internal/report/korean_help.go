package report

// koreanHelp has the Korean wording of help, by its English: what commands and their flags are for.
var koreanHelp = map[string]string{
}
