package server

import (
	"context"

	"go.temporal.io/server/common/namespace"
	"go.temporal.io/server/common/persistence/visibility/manager"
)

// listed writes into the visibility store the executions that belong in lists.
type listed struct {
	manager.VisibilityManager
	namespaces namespace.Registry
	// The search attribute that is true for the others.
	unlisted string
}

// unlisting leaves out executions that no list or count shall have: three writes for each that ends soon.
func (n network) unlisting(known manager.VisibilityManager, namespaces namespace.Registry) manager.VisibilityManager {
	if n.unlisted == "" {
		return known
	}
	return &listed{VisibilityManager: known, namespaces: namespaces, unlisted: n.unlisted}
}

func (l *listed) RecordWorkflowExecutionStarted(ctx context.Context, request *manager.RecordWorkflowExecutionStartedRequest) error {
	if l.isUnlisted(request.VisibilityRequestBase) {
		return nil
	}
	return l.VisibilityManager.RecordWorkflowExecutionStarted(ctx, request)
}

func (l *listed) UpsertWorkflowExecution(ctx context.Context, request *manager.UpsertWorkflowExecutionRequest) error {
	if l.isUnlisted(request.VisibilityRequestBase) {
		return nil
	}
	return l.VisibilityManager.UpsertWorkflowExecution(ctx, request)
}

func (l *listed) RecordWorkflowExecutionClosed(ctx context.Context, request *manager.RecordWorkflowExecutionClosedRequest) error {
	if l.isUnlisted(request.VisibilityRequestBase) {
		return nil
	}
	return l.VisibilityManager.RecordWorkflowExecutionClosed(ctx, request)
}

// isUnlisted is false where the namespace has no such attribute.
func (l *listed) isUnlisted(request *manager.VisibilityRequestBase) bool {
	mapper, err := l.namespaces.GetCustomSearchAttributesMapper(request.Namespace)
	if err != nil {
		return false
	}
	column, err := mapper.GetFieldName(l.unlisted, request.Namespace.String())
	if err != nil {
		return false
	}
	return string(request.SearchAttributes.GetIndexedFields()[column].GetData()) == "true"
}
