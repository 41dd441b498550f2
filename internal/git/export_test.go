package git

// TempName is for the test of a crash.
var TempName = tempName
