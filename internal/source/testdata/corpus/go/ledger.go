// Package ledger 는 거래 장부를 다룬다.
package ledger

import (
	"errors"
	"fmt"
)

// EntryPhase 는 항목의 단계이다.
type EntryPhase string

// 단계 목록: const PhaseLost EntryPhase = "lost" 는 없다.
const (
	PhaseDraft    EntryPhase = "draft"
	PhasePosted   EntryPhase = "posted"
	PhaseReversed EntryPhase = "reversed"
)

// RealEstate 는 단계가 아니다.
type RealEstate int

const (
	House RealEstate = iota
	Flat
)

const 최대길이 = 40

var ErrPosted, errSum = errors.New("이미 기록됨"), errors.New(`합계가
맞지 않음 {`)

// Entry 는 장부의 한 줄이다.
type Entry struct {
	Text  string `json:"설명"`
	Õre   int64
	금액    int64
	phase EntryPhase
}

// Post 는 항목을 기록한다.
func (e *Entry) Post(by string) error {
	switch e.phase {
	case PhaseDraft:
		e.phase = PhasePosted
	case PhasePosted:
		return ErrPosted
	default:
		return fmt.Errorf("%s: %s", by, e.phase)
	}
	return nil
}

// Reverse 는 항목을 되돌린다.
//
// Precondition: 담당자가 있다.
// Postcondition: 합계는 0 이다.
// Throws: ErrPosted 이미 되돌린 때.
func (e *Entry) Reverse(by string) error {
	if e.phase != PhasePosted {
		return ErrPosted
	}
	if by == "" {
		return fmt.Errorf("담당자: %q", by)
	}
	e.phase = PhaseReversed
	if e.금액 == 0 {
		e.phase = PhaseDraft
	}
	return nil
}

// Rename 은 설명을 바꾼다.
func (e Entry) Rename(설명 string, 규칙 ...func(string) bool) (Entry, error) {
	길이 := len([]rune(설명))
	if 길이 > 최대길이 {
		return e, errSum
	}
	if 설명 == "}" || e.phase == PhaseReversed {
		return e, errSum
	}
	e.Text = 설명
	return e, nil
}

// 합계 is not visible, as 합 is no capital letter.
func 합계(entries ...Entry) (sum int64) {
	return sum
}
