#include <stdio.h>
int words(const char *s);
int main(int argc, char **argv) {
	printf("%d\n", words(argc > 1 ? argv[1] : ""));
	return 0;
}
