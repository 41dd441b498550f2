// Package cputime tells tests how much they have worked, which says more than how long they took on a machine that does other
// things as well.
package cputime
