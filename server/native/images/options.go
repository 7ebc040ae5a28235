package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"agent-runtime/native/images/internal/failure"
	"agent-runtime/native/images/internal/limits"
	"agent-runtime/native/images/internal/pack"
	"agent-runtime/native/images/internal/registry"
	"agent-runtime/native/images/internal/report"
)

const defaultTimeout = 30 * time.Minute

type command func(context.Context, *options, *report.Lines) (any, error)

var commands = map[string]command{"pull": pull, "unpack": unpack, "pack": packImage, "import-rootfs": importRootfs}

// options are a parsed command line.
type options struct {
	command    command
	name       string // the reference or folder, before the flags or as --name
	cache      string
	timeout    time.Duration
	parentPipe bool
	platform   v1.Platform
	limits     limits.Limits

	caFile, caData string
	insecure       bool
	policy         string

	to                string
	reuse, keepOwners bool

	base, tag, output string
	layers            []pack.Source
	owner             owner
	changes           pack.Changes
}

type owner struct{ uid, gid int }

func parseOptions(args []string) (*options, error) {
	if len(args) == 0 || commands[args[0]] == nil {
		return nil, usage("the command is one of pull, unpack, pack, import-rootfs")
	}
	o := &options{command: commands[args[0]], limits: limits.Default}
	rest := args[1:]
	if len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		o.name, rest = rest[0], rest[1:]
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	o.common(flags)
	o.packing(flags)
	if err := flags.Parse(rest); err != nil {
		return nil, usage(err.Error())
	}
	if flags.NArg() > 0 {
		return nil, usage(fmt.Sprintf("%q is one argument too many", flags.Arg(0)))
	}
	if o.cache == "" {
		return nil, usage("--cache is missing")
	}
	if (o.name == "") != (args[0] == "pack") {
		return nil, usage(args[0] + " takes one name, and pack none")
	}
	return o, nil
}

func (o *options) common(f *flag.FlagSet) {
	o.platform = v1.Platform{OS: "linux", Architecture: runtime.GOARCH}
	// For programs: a name that begins with a dash is then a wrong name, and no flag.
	f.StringVar(&o.name, "name", o.name, "")
	f.StringVar(&o.cache, "cache", "", "")
	f.DurationVar(&o.timeout, "timeout", defaultTimeout, "")
	f.BoolVar(&o.parentPipe, "parent-pipe", false, "")
	f.Func("platform", "", func(text string) error {
		platform, err := v1.ParsePlatform(text)
		if err != nil || platform.OS == "" || platform.Architecture == "" {
			return fmt.Errorf("a platform is os/architecture, not %q", text)
		}
		o.platform = *platform
		return nil
	})
	f.StringVar(&o.caFile, "registry-ca-file", "", "")
	f.StringVar(&o.caData, "registry-ca-data", "", "")
	f.BoolVar(&o.insecure, "registry-insecure", false, "")
	f.StringVar(&o.policy, "policy", "missing", "")
	f.StringVar(&o.to, "to", "", "")
	f.BoolVar(&o.reuse, "reuse", false, "")
	f.BoolVar(&o.keepOwners, "keep-owners", false, "")
	f.Int64Var(&o.limits.ManifestBytes, "max-manifest-bytes", o.limits.ManifestBytes, "")
	f.IntVar(&o.limits.Layers, "max-layers", o.limits.Layers, "")
	f.Int64Var(&o.limits.DownloadBytes, "max-download-bytes", o.limits.DownloadBytes, "")
	f.Int64Var(&o.limits.UnpackedBytes, "max-unpacked-bytes", o.limits.UnpackedBytes, "")
	f.IntVar(&o.limits.Files, "max-files", o.limits.Files, "")
}

func (o *options) packing(f *flag.FlagSet) {
	f.StringVar(&o.base, "base", "", "")
	f.StringVar(&o.tag, "tag", "", "")
	f.StringVar(&o.output, "output", "cache", "")
	f.StringVar(&o.changes.WorkingDir, "workdir", "", "")
	f.StringVar(&o.changes.User, "user", "", "")
	f.Func("env", "", func(text string) error {
		o.changes.Env = append(o.changes.Env, text)
		return nil
	})
	f.Func("label", "", func(text string) error {
		key, value, isPair := strings.Cut(text, "=")
		if !isPair {
			return fmt.Errorf("a label is KEY=VALUE, not %q", text)
		}
		if o.changes.Labels == nil {
			o.changes.Labels = map[string]string{}
		}
		o.changes.Labels[key] = value
		return nil
	})
	f.Func("entrypoint", "", words(&o.changes.Entrypoint))
	f.Func("cmd", "", words(&o.changes.Cmd))
	f.Func("owner", "", func(text string) error {
		if _, err := fmt.Sscanf(text, "%d:%d", &o.owner.uid, &o.owner.gid); err != nil || o.owner.uid < 0 || o.owner.gid < 0 {
			return fmt.Errorf("an owner is UID:GID, not %q", text)
		}
		return nil
	})
	f.Func("layer", "", func(text string) error {
		// From the end: a folder may have an equals sign in its name, a path in the image has none.
		at := strings.LastIndex(text, "=")
		if at < 1 || !strings.HasPrefix(text[at+1:], "/") || strings.Contains(text[at+1:]+"/", "/../") {
			return fmt.Errorf("a layer is FOLDER=/PATH, not %q", text)
		}
		o.layers = append(o.layers, pack.Source{Folder: text[:at], Target: strings.Trim(text[at+1:], "/")})
		return nil
	})
}

func words(into *[]string) func(string) error {
	return func(text string) error {
		if json.Unmarshal([]byte(text), into) != nil || *into == nil {
			return fmt.Errorf("%q is no JSON list of words", text)
		}
		return nil
	}
}

func (o *options) trust() (registry.Trust, error) {
	trust := registry.Trust{Insecure: o.insecure}
	if o.caFile != "" {
		content, err := os.ReadFile(o.caFile)
		if err != nil {
			return trust, usage(fmt.Sprintf("--registry-ca-file cannot be read: %v", err))
		}
		trust.CA = append(content, '\n')
	}
	if o.caData != "" {
		content, err := base64.StdEncoding.DecodeString(o.caData)
		if err != nil {
			return trust, usage("--registry-ca-data is not base64")
		}
		trust.CA = append(trust.CA, content...)
	}
	return trust, nil
}

func usage(reason string) error {
	return failure.New(failure.Usage, nil, "images: %s.", reason)
}
