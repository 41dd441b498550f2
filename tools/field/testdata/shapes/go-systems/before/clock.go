// Package clock turns the hands.
package clock

// Minutes are those since midnight.
func Minutes(h, m int) int { return h*60 + m }
