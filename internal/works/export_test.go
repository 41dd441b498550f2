package works

// Inline, Block and the rest show tests the forms of texts.
var (
	Inline = inline
	Block  = block
)

// Plain drops from a document what its reader keeps for messages.
func Plain(d any) any {
	if p, ok := d.(*Progress); ok {
		q := *p
		q.Tasks = nil
		for _, t := range p.Tasks {
			t.line = 0
			q.Tasks = append(q.Tasks, t)
		}
		return q
	}
	return d
}
