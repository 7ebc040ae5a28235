package evaluator

import "github.com/open-policy-agent/opa/v1/ast"

// reads is which parts of the input can make a difference to a policy.
type reads struct {
	// Every path that is mentioned, as far as it is known before the evaluation: `input.a[x].b` is `a`.
	paths [][]string
	// It calls something that is not deterministic, such as the clock.
	isFickle bool
}

var fickle = func() map[string]bool {
	names := map[string]bool{}
	for _, builtin := range ast.Builtins {
		if builtin.Nondeterministic {
			names[builtin.Name] = true
		}
	}
	return names
}()

// readsOf looks at all that is compiled with a policy, reachable or not: too much is found, never too little.
func readsOf(compiler *ast.Compiler) reads {
	found := reads{}
	var visitor *ast.GenericVisitor
	visitor = ast.NewGenericVisitor(func(node any) bool {
		switch part := node.(type) {
		case ast.Ref:
			isInput := found.add(part)
			for index, term := range part {
				if index > 0 || !isInput {
					visitor.Walk(term)
				}
			}
			return true
		case ast.Var:
			if part.Equal(ast.InputRootDocument.Value) {
				found.paths = append(found.paths, nil)
			}
		}
		return false
	})
	for _, module := range compiler.Modules {
		visitor.Walk(module)
	}
	return found
}

// add reports whether the ref is one into the input. The head of another one may be a call or a comprehension.
func (r *reads) add(ref ast.Ref) bool {
	if len(ref) == 0 || !ref[0].Equal(ast.InputRootDocument) {
		r.isFickle = r.isFickle || fickle[ref.String()]
		return false
	}
	path := []string{}
	for _, term := range ref[1:] {
		name, ok := term.Value.(ast.String)
		if !ok {
			break
		}
		path = append(path, string(name))
	}
	r.paths = append(r.paths, path)
	return true
}
