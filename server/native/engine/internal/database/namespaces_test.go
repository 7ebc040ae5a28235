package database

import (
	"reflect"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"

	"agent-runtime/native/engine/internal/failure"
)

func TestSearchAttributesKeepTheirColumnsAndNewOnesAreAdded(t *testing.T) {
	got, err := assignFields(map[string]string{"Keyword07": "ThreadStatus"}, map[string]enumspb.IndexedValueType{
		"ThreadStatus": enumspb.INDEXED_VALUE_TYPE_KEYWORD,
		"RunStatus":    enumspb.INDEXED_VALUE_TYPE_KEYWORD,
		"Ephemeral":    enumspb.INDEXED_VALUE_TYPE_BOOL,
	})
	want := map[string]string{"Keyword07": "ThreadStatus", "Keyword01": "RunStatus", "Bool01": "Ephemeral"}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v %v", got, err)
	}
}

func TestASearchAttributeOfAnotherTypeIsRefused(t *testing.T) {
	_, err := assignFields(map[string]string{"Text01": "ThreadStatus"}, map[string]enumspb.IndexedValueType{
		"ThreadStatus": enumspb.INDEXED_VALUE_TYPE_KEYWORD,
	})
	if got := failure.Of(err).Sentence; got != "The search attribute ThreadStatus is registered as Text, not as Keyword." {
		t.Error(got)
	}
}
