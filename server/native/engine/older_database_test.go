package main

import (
	"compress/gzip"
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
)

func startWorkflow(t *testing.T, client workflowservice.WorkflowServiceClient, id string) string {
	t.Helper()
	return startWith(t, client, id, "ThreadStatus", `"idle"`)
}

// startWith has one search attribute, as JSON.
func startWith(t *testing.T, client workflowservice.WorkflowServiceClient, id, attribute, value string) string {
	t.Helper()
	started, err := client.StartWorkflowExecution(limited(t), &workflowservice.StartWorkflowExecutionRequest{
		Namespace:    "default",
		WorkflowId:   id,
		RequestId:    id,
		WorkflowType: &commonpb.WorkflowType{Name: "thread"},
		TaskQueue:    &taskqueuepb.TaskQueue{Name: "threads"},
		SearchAttributes: &commonpb.SearchAttributes{IndexedFields: map[string]*commonpb.Payload{
			attribute: {Metadata: map[string][]byte{"encoding": []byte("json/plain")}, Data: []byte(value)},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return started.GetRunId()
}

func runOf(t *testing.T, client workflowservice.WorkflowServiceClient, id string) string {
	t.Helper()
	described, err := client.DescribeWorkflowExecution(limited(t), &workflowservice.DescribeWorkflowExecutionRequest{
		Namespace: "default",
		Execution: &commonpb.WorkflowExecution{WorkflowId: id},
	})
	if err != nil {
		t.Fatal(err)
	}
	return described.GetWorkflowExecutionInfo().GetExecution().GetRunId()
}

// The file was written by a real server 1.29.1, see testdata/older-server.
func TestGoesOnWithTheDatabaseOfAnOlderServer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "older.db")
	unpack(t, "testdata/server-1.29.1.db.gz", file)
	forgetTimers(t, file)
	engine := launch(t, "--port", "0", "--db-filename", file, "--search-attribute", "ThreadStatus=Keyword", "--search-attribute", "RunStatus=Keyword")
	upgraded := engine.next(t)
	if upgraded.Event != "upgraded" || upgraded.Copy == "" || fmt.Sprint(upgraded.Steps) != "[v0.11]" {
		t.Fatalf("%+v\n%s", upgraded, engine.stderr)
	}
	ready := engine.next(t)
	if ready.Event != "ready" {
		t.Fatalf("%+v\n%s", ready, engine.stderr)
	}
	client := connect(t, ready.Address)

	for query, want := range map[string]int64{
		`ThreadStatus = "idle"`:            3,
		`ThreadMeta = "number=2"`:          1,
		`ExecutionStatus = "Terminated"`:   1,
		`WorkflowId = "thread-running"`:    1,
		`RunStatus IS NULL`:                3,
		`ThreadMeta IN ("owner=somebody")`: 0,
	} {
		count, err := client.CountWorkflowExecutions(limited(t), &workflowservice.CountWorkflowExecutionsRequest{Namespace: "default", Query: query})
		if err != nil || count.GetCount() != want {
			t.Errorf("%s: %d %v", query, count.GetCount(), err)
		}
	}
	if kinds := historyOf(t, client, "thread-running"); kinds != "WorkflowExecutionStarted WorkflowTaskScheduled WorkflowExecutionSignaled" {
		t.Error(kinds)
	}
	if _, err := client.SignalWorkflowExecution(limited(t), &workflowservice.SignalWorkflowExecutionRequest{
		Namespace: "default", SignalName: "again", WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: "thread-running"},
	}); err != nil {
		t.Error(err)
	}
	task, err := client.PollWorkflowTaskQueue(limited(t), &workflowservice.PollWorkflowTaskQueueRequest{
		Namespace: "default", TaskQueue: &taskqueuepb.TaskQueue{Name: "threads"}, Identity: "test",
	})
	if err != nil || !strings.HasPrefix(task.GetWorkflowExecution().GetWorkflowId(), "thread-") {
		t.Errorf("%s %v", task.GetWorkflowExecution(), err)
	}
	startWorkflow(t, client, "thread-new")
	awaitCount(t, client, `ThreadStatus = "idle"`, 4)
	for _, id := range []string{"thread-ended", "thread-new"} {
		if _, err := client.DeleteWorkflowExecution(limited(t), &workflowservice.DeleteWorkflowExecutionRequest{
			Namespace: "default", WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: id},
		}); err != nil {
			t.Error(err)
		}
	}
	awaitCount(t, client, `ThreadStatus = "idle"`, 2)
}

// The file is older than the retention that its server planned: what had ended would be removed while the test counts it.
func forgetTimers(t *testing.T, file string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.Exec("DELETE FROM timer_tasks"); err != nil {
		t.Fatal(err)
	}
}

func historyOf(t *testing.T, client workflowservice.WorkflowServiceClient, id string) string {
	t.Helper()
	history, err := client.GetWorkflowExecutionHistory(limited(t), &workflowservice.GetWorkflowExecutionHistoryRequest{
		Namespace: "default", Execution: &commonpb.WorkflowExecution{WorkflowId: id},
	})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, e := range history.GetHistory().GetEvents() {
		if e.GetEventType() != enumspb.EVENT_TYPE_UNSPECIFIED {
			kinds = append(kinds, e.GetEventType().String())
		}
	}
	return strings.Join(kinds, " ")
}

func awaitCount(t *testing.T, client workflowservice.WorkflowServiceClient, query string, want int64) {
	t.Helper()
	for ctx := limited(t); ; time.Sleep(20 * time.Millisecond) {
		count, err := client.CountWorkflowExecutions(ctx, &workflowservice.CountWorkflowExecutionsRequest{Namespace: "default", Query: query})
		if err != nil {
			t.Fatalf("%s: %d %v", query, count.GetCount(), err)
		}
		if count.GetCount() == want {
			return
		}
	}
}

func unpack(t *testing.T, from, into string) {
	t.Helper()
	packed, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = packed.Close() }()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(into, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
