package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/gateway"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

func newCost(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "cost [RUN]", Short: "show the cost of a run by task, role and model", Args: oneArgument("run"),
		Example: "  jacquard cost --json",
		RunE: func(c *cobra.Command, args []string) error {
			return a.onRun(c, args, func(ctx context.Context, p *project, rt keeper, r flow.Run) error {
				rows, total, cut, err := costs(ctx, p, rt, r.ID)
				if err != nil {
					return err
				}
				if a.asJSON(map[string]any{"run": r.ID, "turns": rows, "total": total, "cut": cut}) {
					return nil
				}
				l := a.lang()
				fmt.Fprintf(a.Out, l.T("run %s: %s\n"), r.ID, requested(r))
				fmt.Fprint(a.Out, report.Table(costCells(l, rows), 3))
				fmt.Fprint(a.Out, totalText(l, total, cut))
				return nil
			})
		},
	}
}

// unsure is what calls that have not ended can have cost at most.
func unsure(account act.Account) step.Usage {
	return step.Usage{Input: account.Reserved.Tokens, USD: float64(account.Reserved.MicroUSD) / 1e6, Known: true}
}

// counted adds to what the results of a run's turns have cost what the ledger has besides: calls whose turn was cut off.
func (p *project) counted(rep *report.Run) error {
	account, err := p.account(rep.ID)
	if err != nil {
		return err
	}
	rep.Usage, rep.Unsure = rep.Usage.Add(unrecorded(account.Spent, rep.Usage)), unsure(account)
	return nil
}

// unrecorded is what is spent besides what is on record.
func unrecorded(spent gateway.Amount, on step.Usage) step.Usage {
	const rounding = 0.001 // of the sums of turns, in dollars
	rest := step.Usage{Input: max(0, spent.Tokens-on.Input-on.Output-on.CacheRead-on.CacheWrite), USD: float64(spent.MicroUSD)/1e6 - on.USD, Known: true}
	if rest.USD > rounding || rest.USD >= 0 && rest.Input > 0 {
		return rest
	}
	return step.Usage{Known: true}
}

// totalText is what a run has cost. What calls cost that were cut off is not known: it is said what they can have cost at most.
func totalText(l report.Lang, total, cut step.Usage) string {
	if cut.Input == 0 {
		return fmt.Sprintf(l.T("total: %s\n"), report.Cost(l, total))
	}
	sure := total
	sure.Input, sure.USD = total.Input-cut.Input, total.USD-cut.USD
	return fmt.Sprintf(l.T("total: %s; with calls without a result at most %s\n"), report.Cost(l, sure), report.Cost(l, total))
}

// costCells are the costs of a run as a table.
func costCells(l report.Lang, rows []costRow) [][]string {
	cells := [][]string{{l.T("MODULE"), l.T("ROLE"), l.T("AGENT"), l.T("TURNS"), l.T("TOKENS"), "USD"}}
	for _, x := range rows {
		tokens := report.Short(x.Usage.Input + x.Usage.Output + x.Usage.CacheRead + x.Usage.CacheWrite)
		cells = append(cells, []string{x.Module, x.Role, x.String(), strconv.Itoa(x.Turns), tokens, fmt.Sprintf("%.4f", x.Usage.USD)})
	}
	return cells
}

// costRow sums the turns of one role for one module, by one agent with one model.
type costRow struct {
	step.Seat

	Module string     `json:"module"`
	Role   string     `json:"role"`
	Turns  int        `json:"turns"`
	Usage  step.Usage `json:"usage"`
}

// costs are those of the turns whose results are on record, and in a last row what the ledger has besides: turns that were cut, cancelled,
// or are at work. cut is what calls that have not ended can have cost at most; it is in the last row and in total.
func costs(ctx context.Context, p *project, rt keeper, run string) (out []costRow, total, cut step.Usage, err error) {
	rows, err := rt.Steps(ctx, run)
	if err != nil {
		return nil, total, cut, err
	}
	out, total = []costRow{}, step.Usage{Known: true}
	index := map[costRow]int{}
	for _, s := range rows {
		if s.Step != step.AgentTurn.Name || len(s.Out) == 0 {
			continue
		}
		t, err := report.Decode[step.TurnOut](s.Out)
		if err != nil {
			continue
		}
		mod, ok := report.ModuleOf(s.Branch)
		if !ok {
			mod = s.Branch
			if parts := strings.Split(mod, "/"); len(parts) > 2 { // reviewer/1 of design/round/1/review/reviewer/1
				mod = strings.Join(parts[len(parts)-2:], "/")
			}
		}
		role, _, _ := report.Split(strings.TrimPrefix(s.Key, s.Branch+":"))
		k := costRow{Module: mod, Role: role, Seat: step.Seat{Agent: t.Agent, Model: t.Model}, Usage: step.Usage{Known: true}}
		i, ok := index[k]
		if !ok {
			i = len(out)
			index[k] = i
			out = append(out, k)
		}
		out[i].Turns++
		out[i].Usage = out[i].Usage.Add(t.Usage)
		total = total.Add(t.Usage)
	}
	account, err := p.account(run)
	if err != nil {
		return nil, total, cut, err
	}
	spent, reserved := account.Spent, account.Reserved
	cut = unsure(account)
	spent.MicroUSD, spent.Tokens = spent.MicroUSD+reserved.MicroUSD, spent.Tokens+reserved.Tokens
	if rest := unrecorded(spent, total); rest.Input > 0 || rest.USD > 0 {
		out = append(out, costRow{Module: "-", Role: "calls without a result", Usage: rest})
		total = total.Add(rest)
	}
	return out, total, cut, nil
}
