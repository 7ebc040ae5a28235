package options

import (
	"reflect"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"

	"agent-runtime/native/engine/internal/failure"
)

func TestReadsTheCommandLineOfStartDev(t *testing.T) {
	got, err := Parse([]string{
		"server", "start-dev", "--ip", "127.0.0.1", "--port", "0", "--db-filename", "/data/engine.db",
		"--namespace", "default", "--headless", "--log-level", "error", "--log-format", "json",
		"--search-attribute", "ThreadStatus=Keyword", "--search-attribute", "ThreadMeta=keywordlist", "--search-attribute=Ephemeral=Bool",
		"--dynamic-config-value", "a.flag=true", "--dynamic-config-value", "a.count=128", "--dynamic-config-value", "a.part=0.5",
		"--sqlite-pragma", "journal_mode=WAL", "--sqlite-pragma", "Synchronous=NORMAL", "--unlisted", "Ephemeral", "--parent-pipe", "--mutual-tls",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := &Options{
		IP:           "127.0.0.1",
		Port:         0,
		DatabaseFile: "/data/engine.db",
		Namespaces:   []string{"default"},
		SearchAttributes: map[string]enumspb.IndexedValueType{
			"ThreadStatus": enumspb.INDEXED_VALUE_TYPE_KEYWORD,
			"ThreadMeta":   enumspb.INDEXED_VALUE_TYPE_KEYWORD_LIST,
			"Ephemeral":    enumspb.INDEXED_VALUE_TYPE_BOOL,
		},
		DynamicConfig: map[string]any{"a.flag": true, "a.count": 128, "a.part": 0.5},
		Pragmas:       map[string]string{"journal_mode": "WAL", "synchronous": "NORMAL"},
		Unlisted:      "Ephemeral",
		LogLevel:      "error",
		LogFormat:     "json",
		ParentPipe:    true,
		MutualTLS:     true,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestDefaultsAreLoopbackAndInMemory(t *testing.T) {
	got, err := Parse(nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.IP != "127.0.0.1" || got.Port != 7233 || got.DatabaseFile != "" || got.LogLevel != "warn" {
		t.Errorf("got %+v", got)
	}
}

func TestRefusesAWrongCommandLineWithOneSentence(t *testing.T) {
	for _, wrong := range []struct{ argument, sentence string }{
		{"--frobnicate", "The command line is wrong: flag provided but not defined: -frobnicate."},
		{"--port=x", `The command line is wrong: invalid value "x" for flag -port: parse error.`},
		{"--port=70000", "The command line is wrong: port 70000 is not between 0 and 65535."},
		{"--search-attribute=A=Number", `The command line is wrong: invalid value "A=Number" for flag -search-attribute: "Number" is not a type of search attribute.`},
		{"--dynamic-config-value=a=TRUE", `The command line is wrong: invalid value "a=TRUE" for flag -dynamic-config-value: the value of a is not JSON.`},
		{"--sqlite-pragma=wal", `The command line is wrong: invalid value "wal" for flag -sqlite-pragma: "wal" is not of the form key=value.`},
		{"--unlisted=Ephemeral", `The command line is wrong: "Ephemeral" is not a search attribute of type Bool.`},
		{"--log-level=loud", `The command line is wrong: unknown log level "loud".`},
		{"stop", `The command line is wrong: unexpected argument "stop".`},
	} {
		_, err := Parse([]string{"server", "start-dev", wrong.argument})
		if err == nil {
			t.Errorf("%s was accepted", wrong.argument)
			continue
		}
		if got := failure.Of(err); got.Code != failure.Usage || got.Sentence != wrong.sentence {
			t.Errorf("%s: %d %s", wrong.argument, got.Code, got.Sentence)
		}
	}
}
