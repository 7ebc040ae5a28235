package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"agent-runtime/native/engine/internal/failure"
	"agent-runtime/native/engine/internal/identity"
)

// event is one line of standard output.
type event struct {
	Event   string   `json:"event"`
	Address string   `json:"address,omitempty"`
	PID     int      `json:"pid,omitempty"`
	Server  string   `json:"server,omitempty"`
	Code    string   `json:"code,omitempty"`
	Message string   `json:"message,omitempty"`
	File    string   `json:"file,omitempty"`
	Copy    string   `json:"copy,omitempty"`
	Steps   []string `json:"steps,omitempty"`
	// What clients need; standard output goes to the supervisor alone.
	Identity *identity.Identity `json:"identity,omitempty"`
}

var reporting sync.Mutex

func report(e event) {
	reporting.Lock()
	defer reporting.Unlock()
	_ = json.NewEncoder(os.Stdout).Encode(e)
}

// fail prints the sentence for people and its code for the supervisor, and ends the process.
func fail(err error) {
	known := failure.Of(err)
	report(event{Event: "failed", Code: known.Code.String(), Message: known.Sentence})
	fmt.Fprintln(os.Stderr, known.Sentence)
	os.Exit(int(known.Code))
}
