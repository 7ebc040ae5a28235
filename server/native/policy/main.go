//go:build js && wasm

// Command policy evaluates Rego in a worker thread of Node: see README.md.
package main

import (
	"encoding/json"
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

// evaluate(batch: JSON, limit: milliseconds, idle, report, compiling): calls report(value: JSON or null, error or null,
// microseconds) for each policy of each question in order; compiling(true) before policies are compiled for it and
// compiling(false) after that. `idle` is null, or returns the milliseconds without a processor, which do not count. Returns false when a question took longer than the limit: nothing behind is asked.
func (h *host) evaluate(_ js.Value, args []js.Value) any {
	report, compiling := args[3], args[4]
	var batch evaluator.Batch
	if err := json.Unmarshal([]byte(args[0].String()), &batch); err != nil {
		panic(err) // the host wrote it
	}
	isCompiling := false
	h.program.Compile(batch, func() {
		isCompiling = true
		compiling.Invoke(true)
	})
	if isCompiling {
		compiling.Invoke(false)
	}
	limit := time.Duration(args[1].Float() * float64(time.Millisecond))
	var idle evaluator.Idle
	if args[2].Type() == js.TypeFunction {
		idle = func() time.Duration {
			return time.Duration(args[2].Invoke().Float() * float64(time.Millisecond))
		}
	}
	return h.program.Ask(batch, limit, idle, func(outcome evaluator.Outcome) {
		var value, failure any
		switch {
		case outcome.Err != nil:
			failure = outcome.Err.Error()
		case outcome.Value != nil:
			value = string(outcome.Value)
		}
		report.Invoke(value, failure, outcome.Microseconds)
	})
}
