module github.com/jacquard-build/jacquard/tools/picture

go 1.26
