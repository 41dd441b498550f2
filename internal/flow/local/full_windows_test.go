package local_test

func fullChild(string) int { return 1 }
