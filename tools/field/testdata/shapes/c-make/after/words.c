int words(const char *s) {
	int n = 0, inside = 0;
	for (; *s; s++) {
		if (*s != ' ' && !inside)
			n++;
		inside = *s != ' ';
	}
	return n;
}
