// Package options reads the command line, which is that of `temporal server start-dev` as far as we use it.
package options

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"

	"agent-runtime/native/engine/internal/failure"
)

// Options is the parsed command line.
type Options struct {
	IP               string
	Port             int
	DatabaseFile     string
	Namespaces       []string
	SearchAttributes map[string]enumspb.IndexedValueType
	DynamicConfig    map[string]any
	Pragmas          map[string]string
	Unlisted         string
	LogLevel         string
	LogFormat        string
	ParentPipe       bool
	MutualTLS        bool
	Version          bool
}

// Parse understands the arguments after the program's name, or returns a sentence about what is wrong with them.
func Parse(args []string) (*Options, error) {
	parsed := &Options{
		Namespaces:       []string{"default"},
		SearchAttributes: map[string]enumspb.IndexedValueType{},
		DynamicConfig:    map[string]any{},
		Pragmas:          map[string]string{},
	}
	flags := parsed.flagSet()
	for _, word := range []string{"server", "start-dev"} {
		if len(args) > 0 && args[0] == word {
			args = args[1:]
		}
	}
	if err := flags.Parse(args); err != nil {
		return nil, failure.New(failure.Usage, err, "The command line is wrong: %s.", strings.TrimSuffix(err.Error(), "."))
	}
	if flags.NArg() > 0 {
		return nil, failure.New(failure.Usage, nil, "The command line is wrong: unexpected argument %q.", flags.Arg(0))
	}
	return parsed, parsed.check()
}

func (o *Options) flagSet() *flag.FlagSet {
	flags := flag.NewFlagSet("engine", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.IP, "ip", "127.0.0.1", "address to listen on")
	flags.IntVar(&o.Port, "port", 7233, "port of the front end, 0 for a free one")
	flags.IntVar(&o.Port, "p", 7233, "same as --port")
	flags.StringVar(&o.DatabaseFile, "db-filename", "", "database file; without it everything stays in memory")
	flags.StringVar(&o.DatabaseFile, "f", "", "same as --db-filename")
	flags.Func("namespace", "namespace to create (repeatable)", o.addNamespace)
	flags.Func("n", "same as --namespace", o.addNamespace)
	flags.Func("search-attribute", "NAME=TYPE to register (repeatable)", o.addSearchAttribute)
	flags.StringVar(&o.Unlisted, "unlisted", "", "search attribute of type Bool; executions for which it is true are in no list and no count")
	flags.Func("dynamic-config-value", "KEY=JSON (repeatable)", o.addDynamicConfig)
	flags.Func("sqlite-pragma", "PRAGMA=VALUE (repeatable)", o.addPragma)
	flags.StringVar(&o.LogLevel, "log-level", "warn", "debug, info, warn, error or never")
	flags.StringVar(&o.LogFormat, "log-format", "text", "text or json")
	flags.Bool("headless", true, "accepted for compatibility: there is never a web page")
	flags.BoolVar(&o.ParentPipe, "parent-pipe", false, "stop when standard input ends")
	flags.BoolVar(&o.MutualTLS, "mutual-tls", false, "ask clients for the identity in the first line of standard input, or for a new one")
	flags.BoolVar(&o.Version, "version", false, "print the version")
	return flags
}

func (o *Options) check() error {
	if o.IP == "localhost" {
		o.IP = "127.0.0.1"
	}
	if o.Unlisted != "" && o.SearchAttributes[o.Unlisted] != enumspb.INDEXED_VALUE_TYPE_BOOL {
		return failure.New(failure.Usage, nil, "The command line is wrong: %q is not a search attribute of type Bool.", o.Unlisted)
	}
	if o.Port < 0 || o.Port > 65535 {
		return failure.New(failure.Usage, nil, "The command line is wrong: port %d is not between 0 and 65535.", o.Port)
	}
	if !slices.Contains([]string{"debug", "info", "warn", "error", "never"}, o.LogLevel) {
		return failure.New(failure.Usage, nil, "The command line is wrong: unknown log level %q.", o.LogLevel)
	}
	if !slices.Contains([]string{"text", "pretty", "json"}, o.LogFormat) {
		return failure.New(failure.Usage, nil, "The command line is wrong: unknown log format %q.", o.LogFormat)
	}
	return nil
}

func (o *Options) addNamespace(name string) error {
	if name == "" {
		return fmt.Errorf("a namespace needs a name")
	}
	if !slices.Contains(o.Namespaces, name) {
		o.Namespaces = append(o.Namespaces, name)
	}
	return nil
}

func (o *Options) addPragma(text string) error {
	key, value, err := keyValue(text)
	if err != nil {
		return err
	}
	o.Pragmas[strings.ToLower(key)] = value
	return nil
}
