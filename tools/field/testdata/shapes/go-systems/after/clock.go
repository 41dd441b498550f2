// Package clock turns the hands.
package clock

// Minutes are those since midnight.
func Minutes(h, m int) int { return h*60 + m }

// Add turns the hands on, past midnight as well.
func Add(minutes, more int) int {
	sum := minutes + more
	if sum >= 24*60 {
		sum -= 24 * 60
	}
	return sum
}
