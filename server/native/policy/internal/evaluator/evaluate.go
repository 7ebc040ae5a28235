package evaluator

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
)

// evaluate returns the rule of one policy as JSON; nil without an error: it is undefined. As with `opa eval`, the error
// of a builtin makes its expression undefined, while a conflict between rules is an error.
func (p *Program) evaluate(policy string, input ast.Value, left *clock) ([]byte, error) {
	if _, ok := p.modules[policy]; !ok {
		return nil, fmt.Errorf("there is no policy %s", policy)
	}
	prepared, err := p.policy(policy)
	if err != nil {
		return nil, err
	}
	results, err := prepared.Eval(
		context.Background(),
		rego.EvalParsedInput(input),
		rego.EvalTransaction(p.transaction),
		rego.EvalExternalCancel(left),
	)
	if err != nil {
		return nil, err
	}
	if len(results) == 0 {
		return nil, nil
	}
	return json.Marshal(results[0].Expressions[0].Value)
}
