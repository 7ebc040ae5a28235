// Command engine is a Temporal server of one machine on a SQLite file, with the command line of `temporal server start-dev`.
// On standard output it reports in JSON lines when it serves or why it does not; its log goes to standard error.
package main

import (
	"fmt"
	"os"

	"go.temporal.io/server/common/headers"

	"agent-runtime/native/engine/internal/options"
)

// Set by the build script.
var version = "0.1.0"

func main() {
	parsed, err := options.Parse(os.Args[1:])
	if err != nil {
		fail(err)
	}
	if parsed.Version {
		fmt.Printf("agent-runtime-engine %s (server %s)\n", version, headers.ServerVersion)
		return
	}
	if err := run(parsed); err != nil {
		fail(err)
	}
}
