package flow_test
import ("testing";"math/rand/v2";"fmt")
func dump(ops []op, in string){ for _,o:=range ops { fmt.Println(in,o.kind,o.key,o.swallow,o.max,o.hours); dump(o.body,in+"  "); for _,b:=range o.branches { fmt.Println(in,"  branch",b.key); dump(b.ops,in+"    ")} } }
func TestDbg(t *testing.T){ g := &generator{Rand: rand.New(rand.NewPCG(12, 7)), cycles: false}; dump(g.ops(3, 2+g.IntN(5), nil),"") }
