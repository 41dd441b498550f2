package local_test

func fullChild(string) int  { return 1 }
func freedChild(string) int { return 1 }
