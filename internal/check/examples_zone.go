package check

import (
	"context"
	"fmt"
	"slices"

	"github.com/jacquard-build/jacquard/internal/example"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
)

// zones are time zones in which it is another hour than in most, and often another day.
var zones = []string{"Pacific/Chatham", "Pacific/Marquesas"}

var (
	// ofTime are names in code that has to do with dates and times.
	ofTime = re.New(`^(Date|Intl|datetime|date|time|Time|localtime|gmtime|strftime|chrono|Calendar|ZoneId|(Local|Zoned|Offset)(Date|Time|DateTime)|SimpleDateFormat)$`)
	// ofZone is what specs and requests say where the zone counts.
	ofZone = re.New(`(?i)time ?-?zones?|\blocal\b|\btz\b|\bhere\b|현지|시간대|로컬`)
)

// zoned makes calls once more in other time zones: where users are changes no result, unless the spec speaks of it.
func (u *user) zoned(ctx context.Context, all []example.Example) ([]step.Finding, error) {
	timely := slices.ContainsFunc(u.sources(), func(f sourceFile) bool {
		return slices.ContainsFunc(f.Tokens, func(t source.Token) bool { return t.Kind == source.Ident && ofTime().MatchString(t.Text) })
	})
	if len(all) == 0 || !timely || ofZone().MatchString(u.m.Said) {
		return nil, nil
	}
	in := func(zone string) ([]example.Outcome, error) {
		u.zone = zone
		defer func() { u.zone = "" }()
		return u.try(ctx, all, false)
	}
	was, err := in("UTC")
	if err != nil {
		return nil, err
	}
	for _, zone := range zones {
		got, err := in(zone)
		if err != nil {
			return nil, err
		}
		for i, e := range all {
			if was[i].Cannot != "" || got[i].Cannot != "" || sameOutcome(was[i], got[i]) {
				continue
			}
			if again, err := in("UTC"); err != nil || !sameOutcome(was[i], again[i]) { // it is another one each time
				return nil, err
			}
			return []step.Finding{u.m.charge("ambient-state", u.m.Dir, 0, fmt.Sprintf(
				"%s gives %s, but %s in another time zone. Compute it from what is given and in UTC, or say in the spec which time zone counts.", e.Calls(), was[i].Given(), got[i].Given()))}, nil
		}
	}
	return nil, nil
}
