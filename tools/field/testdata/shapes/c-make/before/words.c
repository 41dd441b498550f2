int words(const char *s) {
	int n = 0;
	for (; *s; s++)
		if (*s == ' ')
			n++;
	return n + 1;
}
