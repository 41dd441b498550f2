module github.com/jacquard-build/jacquard/tools/field

go 1.26.8
