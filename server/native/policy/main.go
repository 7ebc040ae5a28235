//go:build js && wasm

// Command policy evaluates Rego in a worker thread of Node: see README.md.
package main

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"syscall/js"
	"time"

	"agent-runtime/native/policy/internal/evaluator"
)

// The garbage collector works harder from here on; the host ends what grows much further.
const softMemoryLimit = 192 << 20

func main() {
	debug.SetMemoryLimit(softMemoryLimit)
	host := &host{}
	js.Global().Set("policyEvaluator", map[string]any{
		"load":     js.FuncOf(host.load),
		"evaluate": js.FuncOf(host.evaluate),
	})
	select {}
}

// host keeps the program between the calls of the worker. It is called by one thread.
type host struct {
	program *evaluator.Program
}

// load(program: JSON, isChecked: boolean): the findings as JSON. Unchecked, there are none: policies are compiled when
// they are first asked for.
func (h *host) load(_ js.Value, args []js.Value) any {
	var source evaluator.Source
	if err := json.Unmarshal([]byte(args[0].String()), &source); err != nil {
		panic(err) // the host wrote it
	}
	h.program = evaluator.New(source)
	findings := []evaluator.Finding{}
	if args[1].Bool() {
		findings = append(findings, h.program.Check()...)
	}
	text, err := json.Marshal(findings)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// evaluate(input: JSON, policies: string[], report): calls report(value: JSON or null, error or null, microseconds)
// for each policy as soon as it is known.
func (h *host) evaluate(_ js.Value, args []js.Value) any {
	policies, report := args[1], args[2]
	input, inputErr := evaluator.ParseInput(args[0].String())
	for i := range policies.Length() {
		began := time.Now()
		var value []byte
		err := inputErr
		if err == nil {
			value, err = h.ask(policies.Index(i).String(), input)
		}
		var answer, failure any
		switch {
		case err != nil:
			failure = err.Error()
		case value != nil:
			answer = string(value)
		}
		report.Invoke(answer, failure, time.Since(began).Microseconds())
	}
	return true
}

// ask makes a panic the error of the policy that caused it.
func (h *host) ask(policy string, input evaluator.Input) (value []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			value, err = nil, fmt.Errorf("the evaluation panicked: %v", cause)
		}
	}()
	return h.program.Evaluate(policy, input)
}
