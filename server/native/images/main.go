// Command images pulls, unpacks and makes container images without a container engine. On standard output it
// reports in JSON lines how far it is and how it ended.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"agent-runtime/native/images/internal/failure"
	"agent-runtime/native/images/internal/report"
)

// Exit codes: the code in the last line is more specific.
const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, parent io.Reader, out, log io.Writer) int {
	lines := report.New(out)
	result, err := perform(ctx, args, parent, lines)
	if err == nil {
		lines.Done(result)
		return 0
	}
	known := failure.Of(err)
	lines.Failed(known)
	fmt.Fprintln(log, known.Sentence)
	if known.Cause != nil && known.Code != failure.CredentialsFailed {
		fmt.Fprintf(log, "  %v\n", known.Cause)
	}
	if known.Code == failure.Usage {
		return exitUsage
	}
	return exitFailed
}

func perform(ctx context.Context, args []string, parent io.Reader, lines *report.Lines) (any, error) {
	o, err := parseOptions(args)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	if o.parentPipe {
		// The parent process holds the other end, which closes when that ends in any way.
		go func() {
			_, _ = io.Copy(io.Discard, parent)
			cancel()
		}()
	}
	result, err := o.command(ctx, o, lines)
	// If anything else broke at the end, the end is the reason.
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return result, err
}
