package evaluator

import (
	"encoding/json"
	"fmt"
	"time"
)

// Batch is some questions that are asked with one call (server/src/policy/rego/batch-text.ts).
type Batch struct {
	Values    []json.RawMessage `json:"values"`
	Policies  []string          `json:"policies"`
	Questions []struct {
		// Of the input: a value, or a value for each member.
		Whole    *int           `json:"whole"`
		Members  map[string]int `json:"members"`
		Policies []int          `json:"policies"`
	} `json:"questions"`
}

// Outcome is the decision of one policy on one question: JSON, nothing if undefined, or an error.
type Outcome struct {
	Value []byte
	Err   error
	// Of the evaluation; none where the outcome is that of another question of the batch.
	Microseconds int64
}

// Compile compiles what is asked and was not compiled yet; `begin` is called before the first of it. What cannot be
// compiled is the outcome of its policy.
func (p *Program) Compile(batch Batch, begin func()) {
	hasBegun := false
	for _, key := range batch.Policies {
		if p.prepared[key] != nil || p.modules[key].Key == "" {
			continue
		}
		if !hasBegun {
			begin()
		}
		hasBegun = true
		_, _ = p.policy(key)
	}
}

// Ask reports the outcomes of a batch in the order of its questions and their policies. A question that takes longer
// than the limit ends it, with the outcomes that are known; then it returns false. `idle` may be nil: the time that the
// thread has to wait for a processor counts, too.
//
// A policy that reads the same in several questions is evaluated once.
func (p *Program) Ask(batch Batch, limit time.Duration, idle Idle, report func(Outcome)) bool {
	all := newValues(batch.Values)
	known := map[string]Outcome{}
	for _, question := range batch.Questions {
		given := &input{values: all, whole: question.Whole, members: question.Members}
		inputErr := given.parse()
		left := newClock(limit, idle)
		for _, index := range question.Policies {
			if inputErr != nil {
				report(Outcome{Err: inputErr})
				continue
			}
			outcome := p.once(batch.Policies[index], given, left, known)
			if left.isOver {
				return false
			}
			report(outcome)
		}
	}
	return true
}

func (p *Program) once(key string, given *input, left *clock, known map[string]Outcome) Outcome {
	reads, canBeKnown := p.reads[key]
	print := ""
	if canBeKnown && !reads.isFickle {
		print = key + "\n" + given.fingerprint(reads.paths)
		if outcome, ok := known[print]; ok {
			return Outcome{Value: outcome.Value, Err: outcome.Err}
		}
	}
	began := time.Now()
	value, err := p.ask(key, given, left)
	outcome := Outcome{Value: value, Err: err, Microseconds: time.Since(began).Microseconds()}
	if print != "" && !left.isOver {
		known[print] = outcome
	}
	return outcome
}

// ask makes a panic the error of the policy that caused it.
func (p *Program) ask(key string, given *input, left *clock) (value []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			value, err = nil, fmt.Errorf("the evaluation panicked: %v", cause)
		}
	}()
	return p.evaluate(key, given.value, left)
}
