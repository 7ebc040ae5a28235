package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

const (
	runAsEngine  = "ENGINE_TEST_RUN_AS_ENGINE"
	notedLookups = "ENGINE_TEST_NOTED_LOOKUPS"
	timeout      = 20 * time.Second
)

// The test binary is the engine when it is started by a test: the real program without a second build.
func TestMain(m *testing.M) {
	if os.Getenv(runAsEngine) != "" {
		if file := os.Getenv(notedLookups); file != "" {
			noteLookups(file)
		}
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

type process struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	stdout  *bufio.Reader
	stderr  *strings.Builder
	done    chan struct{}
}

func launch(t *testing.T, arguments ...string) *process {
	t.Helper()
	return launchCommand(t, exec.Command(os.Args[0], append([]string{"server", "start-dev", "--parent-pipe"}, arguments...)...))
}

func launchCommand(t *testing.T, command *exec.Cmd) *process {
	t.Helper()
	command.Env = append(os.Environ(), runAsEngine+"=1")
	p := &process{command: command, stderr: &strings.Builder{}, done: make(chan struct{})}
	stdin, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stderr = p.stderr
	p.stdin, p.stdout = stdin, bufio.NewReader(stdout)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		p.exitCode(t)
	})
	return p
}

// next reads one line of the engine's output to its supervisor.
func (p *process) next(t *testing.T) event {
	t.Helper()
	lines := make(chan string, 1)
	go func() {
		line, _ := p.stdout.ReadString('\n')
		lines <- line
	}()
	select {
	case line := <-lines:
		var found event
		if err := json.Unmarshal([]byte(line), &found); err != nil {
			t.Fatalf("printed %q: %v\n%s", line, err, p.stderr)
		}
		return found
	case <-time.After(timeout):
		t.Fatalf("printed nothing\n%s", p.stderr)
	}
	return event{}
}

func (p *process) exitCode(t *testing.T) int {
	t.Helper()
	select {
	case <-p.done:
		return p.command.ProcessState.ExitCode()
	default:
	}
	go func() {
		_ = p.command.Wait()
		close(p.done)
	}()
	select {
	case <-p.done:
	case <-time.After(timeout):
		t.Fatal("did not end")
	}
	return p.command.ProcessState.ExitCode()
}

func connect(t *testing.T, address string) workflowservice.WorkflowServiceClient {
	t.Helper()
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	return workflowservice.NewWorkflowServiceClient(connection)
}

func limited(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	t.Cleanup(cancel)
	return ctx
}

func TestServesKeepsAndStopsCleanly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "engine.db")
	first := launch(t, "--port", "0", "--db-filename", file, "--search-attribute", "ThreadStatus=Keyword")
	ready := first.next(t)
	if ready.Event != "ready" || ready.PID != first.command.Process.Pid || ready.Server != "1.32.0" {
		t.Fatalf("%+v\n%s", ready, first.stderr)
	}
	started := startWorkflow(t, connect(t, ready.Address), "kept")

	before := time.Now()
	_ = first.command.Process.Signal(syscall.SIGTERM)
	if code := first.exitCode(t); code != 0 {
		t.Errorf("exit %d\n%s", code, first.stderr)
	}
	if took := time.Since(before); took > 5*time.Second {
		t.Errorf("stopping took %s", took)
	}
	if log, err := os.Stat(file + "-wal"); err == nil && log.Size() > 0 {
		t.Errorf("%d bytes were left in the write-ahead log", log.Size())
	}

	_, port, _ := net.SplitHostPort(ready.Address)
	second := launch(t, "--port", port, "--db-filename", file, "--search-attribute", "ThreadStatus=Keyword", "--search-attribute", "Ephemeral=Bool")
	again := second.next(t)
	if again.Event != "ready" || again.Address != ready.Address {
		t.Fatalf("%+v\n%s", again, second.stderr)
	}
	client := connect(t, again.Address)
	if got := runOf(t, client, "kept"); got != started {
		t.Errorf("run %s, was %s", got, started)
	}
	namespace, err := client.DescribeNamespace(limited(t), &workflowservice.DescribeNamespaceRequest{Namespace: "default"})
	if err != nil {
		t.Fatal(err)
	}
	if kept := namespace.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration(); kept != 72*time.Hour {
		t.Errorf("retention %s", kept)
	}
	aliases := fmt.Sprint(namespace.GetConfig().GetCustomSearchAttributeAliases())
	if aliases != "map[Bool01:Ephemeral Keyword01:ThreadStatus]" {
		t.Error(aliases)
	}
}

func TestEndsWithItsParent(t *testing.T) {
	engine := launch(t, "--port", "0")
	if ready := engine.next(t); ready.Event != "ready" {
		t.Fatalf("%+v", ready)
	}
	_ = engine.stdin.Close()
	if code := engine.exitCode(t); code != 0 {
		t.Errorf("exit %d\n%s", code, engine.stderr)
	}
}

func TestSaysWhoHoldsTheDatabase(t *testing.T) {
	file := filepath.Join(t.TempDir(), "engine.db")
	ready := launch(t, "--port", "0", "--db-filename", file).next(t)
	second := launch(t, "--port", "0", "--db-filename", file)
	want := event{Event: "failed", Code: "database_locked",
		Message: fmt.Sprintf("The database %s is in use by process %d at %s.", file, ready.PID, ready.Address)}
	requireFailure(t, second, want, 3)
}

func TestSaysThatThePortIsTaken(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	address := listener.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	requireFailure(t, launch(t, "--port", port), event{Event: "failed", Code: "port_taken",
		Message: fmt.Sprintf("The address %s cannot be listened on, probably another process uses it: address already in use.", address)}, 5)
}

func TestReportsThatTheDatabaseCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "engine.db")
	// A limit on the size of files is the full disk that every user can make.
	full := launchCommand(t, exec.Command("/bin/sh", "-c", `ulimit -f 64; exec "$0" server start-dev --port 0 --db-filename "$1"`, os.Args[0], file))
	failed := full.next(t)
	if failed.Code != "database_unwritable" || !strings.Contains(failed.Message, file) {
		t.Errorf("%+v", failed)
	}
	if code := full.exitCode(t); code != 6 {
		t.Errorf("exit %d\n%s", code, full.stderr)
	}
	if ready := launch(t, "--port", "0", "--db-filename", file).next(t); ready.Event != "ready" {
		t.Errorf("afterwards, with room: %+v", ready)
	}
}

func TestRefusesUnknownFlags(t *testing.T) {
	requireFailure(t, launch(t, "--frobnicate"), event{Event: "failed", Code: "usage",
		Message: "The command line is wrong: flag provided but not defined: -frobnicate."}, 2)
}

func requireFailure(t *testing.T, engine *process, want event, wantCode int) {
	t.Helper()
	if found := engine.next(t); fmt.Sprint(found) != fmt.Sprint(want) {
		t.Errorf("printed %+v", found)
	}
	if code := engine.exitCode(t); code != wantCode {
		t.Errorf("exit %d", code)
	}
	if engine.stderr.String() != want.Message+"\n" {
		t.Errorf("standard error: %s", engine.stderr)
	}
}
