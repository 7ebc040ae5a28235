package main

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	. "agent-runtime/native/images/internal/testimage"
)

type line struct {
	Event   string         `json:"event"`
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Result  map[string]any `json:"result"`
}

// images runs a command line in this process, and gives its exit code and its last line.
func images(t *testing.T, args ...string) (int, line) {
	t.Helper()
	var out bytes.Buffer
	code := run(context.Background(), args, strings.NewReader(""), &out, io.Discard)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	var last line
	Must(t, json.Unmarshal([]byte(lines[len(lines)-1]), &last))
	return code, last
}

func done(t *testing.T, args ...string) map[string]any {
	t.Helper()
	code, last := images(t, args...)
	if code != 0 || last.Event != "done" {
		t.Fatalf("%v: exit %d, %+v", args, code, last)
	}
	return last.Result
}

// home makes a process without credentials, and a cache.
func home(t *testing.T) (folder, cache string) {
	t.Helper()
	folder = t.TempDir()
	t.Setenv("HOME", folder)
	t.Setenv("DOCKER_CONFIG", folder)
	t.Setenv("XDG_CONFIG_HOME", folder)
	return folder, filepath.Join(folder, "cache")
}

func write(t *testing.T, file, content string, mode os.FileMode) {
	t.Helper()
	Must(t, os.MkdirAll(filepath.Dir(file), 0o755))
	Must(t, os.WriteFile(file, []byte(content), mode))
	Must(t, os.Chmod(file, mode))
}

func TestRefusesCommandLinesWithOneSentence(t *testing.T) {
	folder, cache := home(t)
	for _, args := range [][]string{
		{}, {"push"}, {"pull"}, {"pull", "image"}, {"pull", "--cache", cache}, {"pull", "image", "--cache", cache, "more"},
		{"pull", "image", "--cache", cache, "--policy", "never"}, {"pull", "image", "--cache", cache, "--platform", "linux"},
		{"pull", "image", "--cache", cache, "--registry-ca-file", filepath.Join(folder, "none.pem")},
		{"pull", "image", "--cache", cache, "--registry-ca-data", "%"},
		{"pull", "image", "--cache", cache, "--registry-ca-data", base64.StdEncoding.EncodeToString([]byte("no certificate"))},
		{"unpack", "image", "--cache", cache},
		{"pack", "image", "--cache", cache, "--tag", "a"}, {"pack", "--cache", cache}, {"pack", "--cache", cache, "--tag", "a", "--output", "zip"},
		{"pack", "--cache", cache, "--tag", "a", "--output", "oci-dir"}, {"pack", "--cache", cache, "--tag", "a", "--to", folder},
		{"pack", "--cache", cache, "--tag", "a", "--layer", "folder"}, {"pack", "--cache", cache, "--tag", "a", "--layer", "a=/b/../c"},
		{"pack", "--cache", cache, "--tag", "a", "--owner", "-1:0"}, {"pack", "--cache", cache, "--tag", "a", "--entrypoint", "sh"},
		{"pack", "--cache", cache, "--tag", "a", "--env", "=x"}, {"import-rootfs", folder, "--cache", cache, "--tag", "a", "--base", "none"},
	} {
		code, last := images(t, args...)
		if code != exitUsage || last.Code != "usage" || last.Message == "" {
			t.Errorf("%v: exit %d, %+v", args, code, last)
		}
	}
}

func TestSaysWhichCaseItIs(t *testing.T) {
	folder, cache := home(t)
	write(t, filepath.Join(folder, "file"), "x", 0o644)
	for want, args := range map[string][]string{
		"image_not_found":   {"unpack", "image", "--cache", cache, "--to", filepath.Join(folder, "tree")},
		"folder_unusable":   {"pack", "--cache", cache, "--tag", "a", "--layer", filepath.Join(folder, "none") + "=/x"},
		"reference_invalid": {"pack", "--cache", cache, "--tag", "NO", "--base", "none"},
		"timed_out":         {"pull", "127.0.0.1:1/image", "--cache", cache, "--timeout", "1ns"},
	} {
		if code, last := images(t, args...); code != exitFailed || last.Code != want {
			t.Errorf("%v: exit %d, %+v", args, code, last)
		}
	}
	if _, last := images(t, "pull", "image", "--cache", filepath.Join(folder, "file")); last.Code != "folder_unusable" {
		t.Errorf("a cache that is a file: %+v", last)
	}
}

func TestEndsWithItsParent(t *testing.T) {
	_, cache := home(t)
	asked := make(chan struct{}, 10)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer silent.Close()
	parent, child := io.Pipe()
	ended := make(chan int, 1)
	var out bytes.Buffer
	go func() {
		args := []string{"pull", silent.Listener.Addr().String() + "/image", "--cache", cache, "--parent-pipe"}
		ended <- run(context.Background(), args, parent, &out, io.Discard)
	}()
	<-asked
	Must(t, child.Close())
	select {
	case code := <-ended:
		if code != exitFailed || !strings.Contains(out.String(), `"cancelled"`) {
			t.Errorf("exit %d: %s", code, out.String())
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it continues without its parent")
	}
}

func TestMakesTheSameImageOfTheSameFolders(t *testing.T) {
	folder, _ := home(t)
	sources := []string{filepath.Join(folder, "one"), filepath.Join(folder, "two")}
	for i, source := range sources {
		write(t, filepath.Join(source, "b", "run.sh"), "#!/bin/sh", []os.FileMode{0o755, 0o700}[i])
		write(t, filepath.Join(source, "a.txt"), "text", []os.FileMode{0o644, 0o600}[i])
		Must(t, os.Symlink("a.txt", filepath.Join(source, "link")))
		Must(t, os.Chtimes(filepath.Join(source, "a.txt"), time.Now(), time.Unix(int64(i)*1000, 0)))
	}
	digests := make([]any, len(sources))
	for i, source := range sources {
		result := done(t, "pack", "--cache", filepath.Join(folder, "cache"+string(rune('0'+i))), "--base", "none", "--platform", "linux/amd64",
			"--layer", source+"=/opt/guest", "--env", "A=1", "--env", "A=2", "--tag", "made:1")
		digests[i] = result["digest"]
	}
	if digests[0] != digests[1] {
		t.Errorf("got %v", digests)
	}
}

func TestPackedImagesAreUnpackedAgain(t *testing.T) {
	folder, cache := home(t)
	root, guest, tree := filepath.Join(folder, "root"), filepath.Join(folder, "guest"), filepath.Join(folder, "tree")
	write(t, filepath.Join(root, "bin", "sh"), "shell", 0o755)
	write(t, filepath.Join(root, "etc", "shadow"), "x", 0o600)
	Must(t, os.Link(filepath.Join(root, "bin", "sh"), filepath.Join(root, "bin", "zsh")))
	write(t, filepath.Join(guest, "main.py"), "print()", 0o644)
	done(t, "import-rootfs", root, "--cache", cache, "--tag", "base:1", "--env", "PATH=/bin", "--cmd", `["sh"]`)
	done(t, "pack", "--cache", cache, "--base", "base:1", "--layer", guest+"=/opt/guest", "--env", "MODE=x", "--user", "1000:1000",
		"--entrypoint", `["/bin/sh","-c"]`, "--workdir", "/opt/guest", "--label", "kind=python", "--tag", "guest:1")
	result := done(t, "unpack", "guest:1", "--cache", cache, "--to", tree)
	want := map[string]any{
		"env": []any{"PATH=/bin", "MODE=x"}, "entrypoint": []any{"/bin/sh", "-c"}, "cmd": nil, "workingDir": "/opt/guest",
		"user": "1000:1000", "labels": map[string]any{"kind": "python"},
	}
	if got := result["config"]; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	first, err := os.Stat(filepath.Join(tree, "bin", "sh"))
	Must(t, err)
	second, err := os.Stat(filepath.Join(tree, "bin", "zsh"))
	Must(t, err)
	if !os.SameFile(first, second) || first.Mode() != 0o755 {
		t.Errorf("sh is %v, and zsh another file", first.Mode())
	}
	if shadow, err := os.Stat(filepath.Join(tree, "etc", "shadow")); err != nil || shadow.Mode() != 0o600 {
		t.Errorf("shadow is %v, %v", shadow, err)
	}
	if content, err := os.ReadFile(filepath.Join(tree, "opt", "guest", "main.py")); err != nil || string(content) != "print()" {
		t.Errorf("got %q, %v", content, err)
	}
}

func TestWritesWhatDockerAndOthersLoad(t *testing.T) {
	folder, cache := home(t)
	guest, archive, oci := filepath.Join(folder, "guest"), filepath.Join(folder, "image.tar"), filepath.Join(folder, "oci")
	write(t, filepath.Join(guest, "main.py"), "print()", 0o644)
	args := []string{"pack", "--cache", cache, "--layer", guest + "=/opt/guest", "--tag", "guest:1", "--owner", "7:8"}
	result := done(t, append(args, "--output", "docker-tar", "--to", archive)...)
	loaded, err := tarball.ImageFromPath(archive, nil)
	Must(t, err)
	layers, err := loaded.Layers()
	Must(t, err)
	content, err := layers[0].Uncompressed()
	Must(t, err)
	var names []string
	for entries := tar.NewReader(content); ; {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		Must(t, err)
		names = append(names, entry.Name)
		if entry.ModTime.Unix() != 0 || entry.Name == "opt/guest/main.py" && (entry.Uid != 7 || entry.Gid != 8) {
			t.Errorf("got %+v", entry)
		}
	}
	if want := []string{"opt/", "opt/guest/", "opt/guest/main.py"}; !reflect.DeepEqual(names, want) {
		t.Errorf("got %v", names)
	}
	done(t, append(args, "--output", "oci-dir", "--to", oci)...)
	index, err := layout.ImageIndexFromPath(oci)
	Must(t, err)
	manifest, err := index.IndexManifest()
	Must(t, err)
	if got := manifest.Manifests[0]; got.Digest.String() != result["digest"] || !strings.HasSuffix(got.Annotations["org.opencontainers.image.ref.name"], "guest:1") {
		t.Errorf("got %+v", got)
	}
	if _, last := images(t, append(args, "--output", "oci-dir", "--to", oci)...); last.Code != "target_exists" {
		t.Errorf("got %+v", last)
	}
}

func TestPushesAndPulls(t *testing.T) {
	folder, cache := home(t)
	server := httptest.NewUnstartedServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	ca := filepath.Join(folder, "ca.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	write(t, ca, string(certificate), 0o644)
	guest := filepath.Join(folder, "guest")
	write(t, filepath.Join(guest, "main.py"), "print()", 0o644)
	ref := server.Listener.Addr().String() + "/agents/guest:1"
	push := []string{"pack", "--cache", cache, "--layer", guest + "=/opt/guest", "--tag", ref, "--output", "push"}
	if _, last := images(t, push...); last.Code != "certificate_not_trusted" {
		t.Errorf("got %+v", last)
	}
	made := done(t, append(push, "--registry-ca-file", ca)...)
	for i, trust := range [][]string{
		{"--registry-ca-file", ca}, {"--registry-ca-data", base64.StdEncoding.EncodeToString(certificate)}, {"--registry-insecure"},
	} {
		other := filepath.Join(folder, "other"+string(rune('0'+i)))
		pulled := done(t, append([]string{"pull", ref, "--cache", other}, trust...)...)
		if pulled["digest"] != made["digest"] || pulled["cached"] != false {
			t.Errorf("got %v, made %v", pulled, made)
		}
		done(t, "unpack", pulled["digest"].(string), "--cache", other, "--to", filepath.Join(folder, "tree"+string(rune('0'+i))))
	}
	if _, last := images(t, "pull", ref, "--cache", filepath.Join(folder, "none")); last.Code != "certificate_not_trusted" {
		t.Errorf("got %+v", last)
	}
}
