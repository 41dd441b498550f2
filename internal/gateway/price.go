package gateway

import (
	"math"

	"github.com/jacquard-build/jacquard/internal/re"
)

// price is what a model costs, in US dollars per million tokens.
type price struct {
	Input        float64
	Output       float64
	CacheRead    float64
	CacheWrite   float64 // kept 5 minutes
	CacheWrite1h float64
}

// listed returns a price with the usual rates for cached input.
func listed(input, output float64) price {
	return price{Input: input, Output: output, CacheRead: input / 10, CacheWrite: input * 1.25, CacheWrite1h: input * 2}
}

// prices are the list prices of 2026-11-20 by model ids, without a date at their end.
var prices = map[string]price{
	"claude-fable-5":    listed(10, 50),
	"claude-fable-5-1":  listed(10, 50),
	"claude-fable-5-2":  listed(8, 40),
	"claude-opus-5-5":   listed(4, 20),
	"claude-opus-5":     listed(5, 25),
	"claude-opus-4-8":   listed(5, 25),
	"claude-opus-4-7":   listed(5, 25),
	"claude-opus-4-6":   listed(5, 25),
	"claude-opus-4-5":   listed(5, 25),
	"claude-sonnet-5-5": listed(2, 10),
	"claude-sonnet-5":   listed(2, 10),
	"claude-sonnet-4-6": listed(3, 15),
	"claude-sonnet-4-5": listed(3, 15),
	"claude-sonnet-4-0": listed(3, 15),
	"claude-sonnet-4":   listed(3, 15),
	"claude-haiku-5-5":  listed(0.1, 0.5),
	"claude-haiku-4-5":  listed(1, 5),
	"gpt-6-astra":       listed(10, 50),
	"gpt-6.1-sol":       {Input: 2, Output: 10, CacheRead: 0.1, CacheWrite: 2.5, CacheWrite1h: 5},
	"gpt-6.1-terra":     {Input: 1, Output: 5, CacheRead: 0.05, CacheWrite: 1.25, CacheWrite1h: 2.5},
	"gpt-6-sol":         listed(2, 10),
	"gpt-6-luna":        listed(0.1, 0.5),
	"gpt-5.6-sol":       listed(4, 20),
	"gpt-5.6-terra":     listed(2, 12),
	"gpt-5.6-luna":      listed(0.2, 1.2),
	"gpt-5.5":           listed(5, 30),
}

// suffix is what a provider adds to the name of a model that costs the same.
var suffix = re.New(`(-[0-9]{8}|-[0-9]{4}-[0-9]{2}-[0-9]{2}|-latest|@[0-9]{8}|\[1m\])$`)

// priceOf returns the price of a model; false means that it is not known.
func priceOf(model string) (price, bool) {
	if p, ok := prices[model]; ok {
		return p, true
	}
	p, ok := prices[suffix().ReplaceAllString(model, "")]
	return p, ok
}

// Usage is a number of tokens by kind.
type Usage struct {
	Input        int64 // neither read from nor written to the cache
	Output       int64
	CacheRead    int64
	CacheWrite   int64 // both lifetimes together
	CacheWrite1h int64 // of CacheWrite, those kept for an hour
}

// Total returns all tokens.
func (u Usage) Total() int64 { return u.Input + u.Output + u.CacheRead + u.CacheWrite }

func (u Usage) plus(v Usage) Usage {
	return Usage{u.Input + v.Input, u.Output + v.Output, u.CacheRead + v.CacheRead, u.CacheWrite + v.CacheWrite, u.CacheWrite1h + v.CacheWrite1h}
}

// amount returns what u costs, rounded up to a millionth of a dollar.
func (p price) amount(u Usage) Amount {
	usd := float64(u.Input)*p.Input + float64(u.Output)*p.Output + float64(u.CacheRead)*p.CacheRead +
		float64(u.CacheWrite-u.CacheWrite1h)*p.CacheWrite + float64(u.CacheWrite1h)*p.CacheWrite1h
	// Prices are per million tokens, so the sum is in millionths already.
	return Amount{MicroUSD: int64(math.Ceil(usd - 1e-9)), Tokens: u.Total()}
}
