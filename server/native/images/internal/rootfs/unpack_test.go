//go:build !windows

package rootfs_test

import (
	"archive/tar"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"syscall"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/klauspost/compress/zstd"

	"agent-runtime/native/images/internal/failure"
	"agent-runtime/native/images/internal/limits"
	"agent-runtime/native/images/internal/rootfs"
	. "agent-runtime/native/images/internal/testimage"
)

// files reads a tree: what each file holds, and the target of a link.
func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(folder, func(file string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, _ := filepath.Rel(folder, file)
		if target, err := os.Readlink(file); err == nil {
			found[name] = "-> " + target
			return nil
		}
		content, err := os.ReadFile(file)
		found[name] = string(content)
		return err
	})
	Must(t, err)
	return found
}

func TestLaysLayersOverEachOther(t *testing.T) {
	p := newWorkspace(t)
	result, err := p.unpack(t, limits.Default,
		Layer(t, Folder("a"), File("a/gone", "1"), File("a/kept", "1"), File("b/one", "1"), File("b/two", "1"),
			File("was-file", "1"), File("was-folder/x", "1"), Link("lib", "usr/lib"), Folder("usr/lib"), Same("hard", "a/kept")),
		Layer(t, File("a/.wh.gone", ""), File("b/three", "2"), File("b/.wh..wh..opq", ""), File("b/four", "2"),
			Folder("was-file"), File("was-file/x", "2"), File("was-folder", "2"), File("lib/y", "2"), File("a/kept", "2"),
			File(".wh..wh.plnk/1.2", "")),
	)
	Must(t, err)
	want := map[string]string{
		"a/kept": "2", "b/three": "2", "b/four": "2", "was-file/x": "2", "was-folder": "2",
		"lib": "-> usr/lib", "usr/lib/y": "2", "hard": "1",
	}
	if got := files(t, p.tree); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if result.Files != 20 || result.Bytes != 12 || result.Dropped["metadata"] != 1 {
		t.Errorf("counted %+v", result)
	}
}

func TestAWhiteoutSparesItsOwnLayer(t *testing.T) {
	p := newWorkspace(t)
	_, err := p.unpack(t, limits.Default,
		Layer(t, File("d/old", "1"), File("f", "1")),
		Layer(t, File("d/new", "2"), File("f", "2"), File(".wh.d", ""), File(".wh.f", "")))
	Must(t, err)
	if got, want := files(t, p.tree), (map[string]string{"d/new": "2", "f": "2"}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestKeepsModesAndTimes(t *testing.T) {
	p := newWorkspace(t)
	changed := time.Unix(1_500_000_000, 0)
	_, err := p.unpack(t, limits.Default, Layer(t,
		Entry{Header: tar.Header{Typeflag: tar.TypeDir, Name: "tmp/", Mode: 0o1777, ModTime: changed}},
		Entry{Header: tar.Header{Typeflag: tar.TypeDir, Name: "locked/", Mode: 0o555, ModTime: changed}},
		Entry{Header: tar.Header{Typeflag: tar.TypeReg, Name: "locked/shadow", Mode: 0, ModTime: changed}, Content: "x"},
		Entry{Header: tar.Header{Typeflag: tar.TypeReg, Name: "run", Mode: 0o755, ModTime: changed}, Content: "x"}))
	Must(t, err)
	for name, want := range map[string]os.FileMode{
		"tmp": os.ModeDir | os.ModeSticky | 0o777, "locked": os.ModeDir | 0o755, "locked/shadow": 0o600, "run": 0o755,
	} {
		info, err := os.Lstat(filepath.Join(p.tree, name))
		Must(t, err)
		if info.Mode() != want || !info.ModTime().Equal(changed) {
			t.Errorf("%s is %v of %v", name, info.Mode(), info.ModTime())
		}
	}
}

func TestReadsEveryCompression(t *testing.T) {
	archive := Archive(t, File("a", "x"))
	encoder, err := zstd.NewWriter(nil)
	Must(t, err)
	for name, content := range map[string][]byte{"none": archive, "gzip": Gzip(t, archive), "zstd": encoder.EncodeAll(archive, nil)} {
		t.Run(name, func(t *testing.T) {
			p := newWorkspace(t)
			_, err := p.unpack(t, limits.Default, Blob{Bytes: content, Content: Digest(archive)})
			Must(t, err)
			if got := files(t, p.tree)["a"]; got != "x" {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestADamagedLayerIsForgotten(t *testing.T) {
	archive := Archive(t, File("a", "x"))
	cut := Gzip(t, archive)
	for name, layer := range map[string]Blob{
		"other content than in the image": {Bytes: Gzip(t, archive), Content: Digest([]byte("other"))},
		"a compression that breaks off":   {Bytes: cut[:len(cut)-8], Content: Digest(archive)},
		"no archive":                      {Bytes: []byte("no archive, no compression, and longer than its first block"), Content: Digest(archive)},
	} {
		t.Run(name, func(t *testing.T) {
			p := newWorkspace(t)
			_, err := p.unpack(t, limits.Default, layer)
			if codeOf(err) != failure.LayerDamaged {
				t.Fatalf("got %v", err)
			}
			if p.store.Has(Digest(layer.Bytes), int64(len(layer.Bytes))) {
				t.Error("the cache still has it")
			}
			p.isUntouched(t)
		})
	}
}

func TestReusesATreeOnlyWhenAsked(t *testing.T) {
	p := newWorkspace(t)
	image := New(t, v1.Config{Cmd: []string{"run"}, Env: []string{"A=1"}, User: "agent"}, Layer(t, File("a", "x")))
	digest := image.Keep(t, p.store)
	o := rootfs.Options{Limits: limits.Default, Progress: func(int64, int64) {}}
	first, err := rootfs.Unpack(context.Background(), p.store, digest, p.tree, o)
	Must(t, err)
	_, err = rootfs.Unpack(context.Background(), p.store, digest, p.tree, o)
	if codeOf(err) != failure.TargetExists {
		t.Errorf("got %v", err)
	}
	o.IsReused = true
	again, err := rootfs.Unpack(context.Background(), p.store, digest, p.tree, o)
	Must(t, err)
	want := rootfs.Config{Cmd: []string{"run"}, Env: []string{"A=1"}, User: "agent"}
	if !again.IsReused || first.IsReused || !reflect.DeepEqual(again.Config, want) || !reflect.DeepEqual(first.Config, want) {
		t.Errorf("got %+v and %+v", first, again)
	}
}

func TestGoesOnAfterOneThatWasKilled(t *testing.T) {
	p := newWorkspace(t)
	Must(t, os.MkdirAll(filepath.Join(p.tree+".part", "left"), 0o755))
	_, err := p.unpack(t, limits.Default, Layer(t, File("a", "x")))
	Must(t, err)
	p.isUntouched(t)
	if got := files(t, p.tree); len(got) != 1 {
		t.Errorf("got %v", got)
	}
}

func TestStopsWhenCancelled(t *testing.T) {
	p := newWorkspace(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	digest := New(t, v1.Config{}, Layer(t, File("a", "x"))).Keep(t, p.store)
	_, err := rootfs.Unpack(ctx, p.store, digest, p.tree, rootfs.Options{Limits: limits.Default, Progress: func(int64, int64) {}})
	if codeOf(err) != failure.Cancelled {
		t.Errorf("got %v", err)
	}
	p.isUntouched(t)
}

func TestKeepsOwnersWhenRootAsksForIt(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	entry := File("home/file", "x")
	entry.Uid, entry.Gid = 1000, 1001
	for _, isKept := range []bool{true, false} {
		p := newWorkspace(t)
		digest := New(t, v1.Config{}, Layer(t, entry)).Keep(t, p.store)
		o := rootfs.Options{Limits: limits.Default, KeepsOwners: isKept, Progress: func(int64, int64) {}}
		_, err := rootfs.Unpack(context.Background(), p.store, digest, p.tree, o)
		Must(t, err)
		info, err := os.Stat(filepath.Join(p.tree, "home", "file"))
		Must(t, err)
		if stat, isKnown := info.Sys().(*syscall.Stat_t); !isKnown || (stat.Uid == 1000 && stat.Gid == 1001) != isKept {
			t.Errorf("kept %v: %+v", isKept, stat)
		}
	}
}
