package evaluator

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
)

// Input is what the policies of one question see.
type Input struct{ value ast.Value }

// ParseInput reads JSON once for all policies of a question.
func ParseInput(text string) (Input, error) {
	value, err := ast.ValueFromReader(strings.NewReader(text))
	return Input{value}, err
}

// Evaluate tells the rule of one policy as JSON; nil without an error: it is undefined. As with `opa eval`, the error
// of a builtin makes its expression undefined, while a conflict between rules is an error.
func (p *Program) Evaluate(policy string, input Input) ([]byte, error) {
	if _, ok := p.modules[policy]; !ok {
		return nil, fmt.Errorf("there is no policy %s", policy)
	}
	prepared, err := p.policy(policy)
	if err != nil {
		return nil, err
	}
	results, err := prepared.Eval(context.Background(), rego.EvalParsedInput(input.value))
	if err != nil {
		return nil, err
	}
	if len(results) == 0 {
		return nil, nil
	}
	return json.Marshal(results[0].Expressions[0].Value)
}
