package main

import (
	"slices"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
)

func TestUnlistedExecutionsAreReadButInNoList(t *testing.T) {
	engine := launch(t, "--port", "0", "--search-attribute", "Ephemeral=Bool", "--unlisted", "Ephemeral")
	client := connect(t, engine.next(t).Address)
	// What is to be missing comes first, at the start and at the end, so that it would be there.
	hidden := startWith(t, client, "hidden", "Ephemeral", "true")
	startWith(t, client, "listed", "Ephemeral", "false")
	startWith(t, client, "open", "Ephemeral", "false")
	for _, id := range []string{"hidden", "listed"} {
		_, err := client.TerminateWorkflowExecution(limited(t), &workflowservice.TerminateWorkflowExecutionRequest{
			Namespace:         "default",
			WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: id},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for !slices.Contains(listed(t, client), "listed "+enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED.String()) {
		time.Sleep(10 * time.Millisecond)
	}
	found := listed(t, client)
	slices.Sort(found)
	if want := []string{"listed Terminated", "open Running"}; !slices.Equal(found, want) {
		t.Errorf("found %q", found)
	}
	if got := runOf(t, client, "hidden"); got != hidden {
		t.Errorf("run %s, was %s", got, hidden)
	}
}

func listed(t *testing.T, client workflowservice.WorkflowServiceClient) []string {
	t.Helper()
	page, err := client.ListWorkflowExecutions(limited(t), &workflowservice.ListWorkflowExecutionsRequest{Namespace: "default"})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, execution := range page.GetExecutions() {
		found = append(found, execution.GetExecution().GetWorkflowId()+" "+execution.GetStatus().String())
	}
	return found
}
