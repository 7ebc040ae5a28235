// Package report writes what happens as one JSON object a line.
package report

import (
	"encoding/json"
	"io"
	"sync"
	"time"

	"agent-runtime/native/images/internal/failure"
)

const pause = 100 * time.Millisecond

// Lines is the one writer of standard output.
type Lines struct {
	mutex sync.Mutex
	out   io.Writer
	last  time.Time
}

// New writes to out.
func New(out io.Writer) *Lines { return &Lines{out: out} }

type progress struct {
	Event string `json:"event"`
	Step  string `json:"step"`
	Done  int64  `json:"done"`
	Total int64  `json:"total"`
}

// Progress reports how far a step is, in bytes, ten times a second at most; its end is always reported.
func (l *Lines) Progress(step string, done, total int64) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	now := time.Now()
	if done < total && now.Sub(l.last) < pause {
		return
	}
	l.last = now
	l.write(progress{Event: "progress", Step: step, Done: done, Total: total})
}

// Done is the last line of a command that succeeded.
func (l *Lines) Done(result any) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.write(struct {
		Event  string `json:"event"`
		Result any    `json:"result"`
	}{"done", result})
}

// Failed is the last line of a command that did not.
func (l *Lines) Failed(f *failure.Failure) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.write(struct {
		Event   string       `json:"event"`
		Code    failure.Code `json:"code"`
		Message string       `json:"message"`
	}{"failed", f.Code, f.Sentence})
}

// A pipe without a reader is no reason to fail.
func (l *Lines) write(line any) { _ = json.NewEncoder(l.out).Encode(line) }
