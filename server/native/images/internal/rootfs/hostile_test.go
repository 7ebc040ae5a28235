package rootfs_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"agent-runtime/native/images/internal/blobs"
	"agent-runtime/native/images/internal/failure"
	"agent-runtime/native/images/internal/limits"
	"agent-runtime/native/images/internal/rootfs"
	. "agent-runtime/native/images/internal/testimage"
)

// workspace is a folder with a file beside the tree that no layer may touch.
type workspace struct {
	outside, victim, tree string
	store                 *blobs.Store
}

func newWorkspace(t *testing.T) *workspace {
	t.Helper()
	folder := t.TempDir()
	p := &workspace{outside: filepath.Join(folder, "outside"), tree: filepath.Join(folder, "made", "tree")}
	p.victim = filepath.Join(p.outside, "victim")
	Must(t, os.MkdirAll(p.outside, 0o755))
	Must(t, os.MkdirAll(filepath.Dir(p.tree), 0o755))
	Must(t, os.WriteFile(p.victim, []byte("mine"), 0o644))
	store, err := blobs.Open(filepath.Join(folder, "cache"))
	Must(t, err)
	p.store = store
	return p
}

func (p *workspace) unpack(t *testing.T, l limits.Limits, layers ...Blob) (*rootfs.Unpacked, error) {
	t.Helper()
	digest := New(t, v1.Config{}, layers...).Keep(t, p.store)
	return rootfs.Unpack(context.Background(), p.store, digest, p.tree, rootfs.Options{Limits: l, Progress: func(int64, int64) {}})
}

// isUntouched compares all that lies beside the tree with what was there at the start.
func (p *workspace) isUntouched(t *testing.T) {
	t.Helper()
	entries, err := os.ReadDir(p.outside)
	Must(t, err)
	content, err := os.ReadFile(p.victim)
	if err != nil || string(content) != "mine" || len(entries) != 1 {
		t.Fatalf("a layer wrote outside: %v %q %v", entries, content, err)
	}
	above, err := os.ReadDir(filepath.Dir(p.tree))
	Must(t, err)
	for _, entry := range above {
		if entry.Name() != "tree" {
			t.Fatalf("%s was left behind beside the tree", entry.Name())
		}
	}
}

func codeOf(err error) failure.Code {
	if err == nil {
		return ""
	}
	return failure.Of(err).Code
}

func TestRefusesLayersThatLeadOut(t *testing.T) {
	device := tar.Header{Typeflag: tar.TypeChar, Name: "../outside/null", Mode: 0o666}
	for name, entries := range map[string][]Entry{
		"a path up":                      {File("../../outside/victim", "theirs")},
		"a path up in the middle":        {File("a/../../../outside/victim", "theirs")},
		"a folder up":                    {Folder("../../outside/new")},
		"a symbolic link up":             {Link("../../outside/link", "x")},
		"a hard link to a path up":       {Same("stolen", "../../outside/victim")},
		"a hard link placed up":          {File("a", "x"), Same("../../outside/new", "a")},
		"a whiteout of a path up":        {File("../../outside/.wh.victim", "")},
		"an opaque folder up":            {File("../../outside/.wh..wh..opq", "")},
		"a whiteout that names above":    {File("a/.wh...", "")},
		"a whiteout without a name":      {File("a/.wh.", "")},
		"a device up":                    {{Header: device}},
		"a link instead of the root":     {Link(".", "/")},
		"links that go round in circles": {Link("a", "b"), Link("b", "a"), File("a/file", "x")},
		"an unknown kind":                {{Header: tar.Header{Typeflag: 'Z', Name: "z"}}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newWorkspace(t)
			_, err := p.unpack(t, limits.Default, Layer(t, entries...))
			if codeOf(err) != failure.LayerRefused {
				t.Fatalf("got %v", err)
			}
			if _, err := os.Lstat(p.tree); !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("there is a tree: %v", err)
			}
			p.isUntouched(t)
		})
	}
}

// What a process in the image would do, whose root is the tree, is done; outside there is nothing to find.
func TestFollowsLinksWithinTheTreeOnly(t *testing.T) {
	p := newWorkspace(t)
	up := strings.Repeat("../", 20) + strings.TrimPrefix(p.outside, "/")
	_, err := p.unpack(t, limits.Default,
		Layer(t, File("/absolute", "in"), Link("abs", p.outside), Link("up", up), Link("file", p.victim), Link("chain", "abs")),
		Layer(t, File("abs/victim", "a"), File("up/other", "b"), File("chain/third", "c"), File("file", "replaced"),
			File("abs/.wh.none", ""), Same("copy", "abs/victim")),
	)
	Must(t, err)
	p.isUntouched(t)
	within := filepath.Join(p.tree, p.outside)
	for file, want := range map[string]string{
		filepath.Join(p.tree, "absolute"): "in", filepath.Join(within, "victim"): "a", filepath.Join(within, "other"): "b",
		filepath.Join(within, "third"): "c", filepath.Join(p.tree, "file"): "replaced", filepath.Join(p.tree, "copy"): "a",
	} {
		if content, err := os.ReadFile(file); err != nil || string(content) != want {
			t.Errorf("%s has %q, %v", file, content, err)
		}
	}
}

func TestWhiteoutThroughALinkRemovesNothingOutside(t *testing.T) {
	p := newWorkspace(t)
	_, err := p.unpack(t, limits.Default,
		Layer(t, Link("abs", p.outside)),
		Layer(t, File("abs/.wh.victim", ""), File("abs/.wh..wh..opq", "")))
	Must(t, err)
	p.isUntouched(t)
}

func TestHardLinkToALinkThatLeadsOutCopiesTheLink(t *testing.T) {
	p := newWorkspace(t)
	_, err := p.unpack(t, limits.Default, Layer(t, Link("a", p.victim), Same("b", "a"), File("b", "theirs")))
	Must(t, err)
	p.isUntouched(t)
}

func TestLeavesAwayWhatOnlyAKernelGivesOut(t *testing.T) {
	p := newWorkspace(t)
	result, err := p.unpack(t, limits.Default, Layer(t,
		Entry{Header: tar.Header{Typeflag: tar.TypeChar, Name: "dev/null", Mode: 0o666, Devmajor: 1, Devminor: 3}},
		Entry{Header: tar.Header{Typeflag: tar.TypeBlock, Name: "dev/sda", Mode: 0o660, Devmajor: 8}},
		Entry{Header: tar.Header{Typeflag: tar.TypeFifo, Name: "run/pipe", Mode: 0o666}},
		Entry{Header: tar.Header{Typeflag: tar.TypeReg, Name: "su", Mode: 0o6755}, Content: "#!"},
	))
	Must(t, err)
	if got := result.Dropped; got["devices"] != 2 || got["pipes"] != 1 || got["setuid"] != 1 {
		t.Errorf("dropped %v", got)
	}
	info, err := os.Lstat(filepath.Join(p.tree, "su"))
	if err != nil || info.Mode() != 0o755 {
		t.Errorf("su is %v, %v", info.Mode(), err)
	}
	for _, name := range []string{"dev/null", "dev/sda", "run/pipe"} {
		if _, err := os.Lstat(filepath.Join(p.tree, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s exists: %v", name, err)
		}
	}
}

func TestBoundsWhatALayerUnpacksTo(t *testing.T) {
	small := limits.Default
	small.UnpackedBytes, small.Files, small.NamesBytes = 1<<20, 100, 10_000
	many := make([]Entry, 101)
	for i := range many {
		many[i] = File("same", "")
	}
	long := make([]Entry, 6)
	for i := range long {
		long[i] = Link(fmt.Sprint(i), strings.Repeat("x", 2_000))
	}
	zeros := make([]byte, 8<<20)
	trailing := append(Archive(t, File("a", "x")), zeros...)
	for name, layer := range map[string]Blob{
		"a gzip bomb":                  Layer(t, File("bomb", string(zeros))),
		"a bomb behind the archive":    {Bytes: Gzip(t, trailing), Content: Digest(trailing)},
		"more entries than it may":     Layer(t, many...),
		"names that are long together": Layer(t, long...),
		"a sparse file":                {Bytes: Gzip(t, sparse(t)), Content: Digest(sparse(t))},
	} {
		t.Run(name, func(t *testing.T) {
			p := newWorkspace(t)
			_, err := p.unpack(t, small, layer)
			if codeOf(err) != failure.ImageTooLarge {
				t.Fatalf("got %v", err)
			}
			p.isUntouched(t)
		})
	}
}

// sparse is an archive with a file of 8 MiB that has no data. Go's writer makes none: the records get their names after.
func sparse(t *testing.T) []byte {
	t.Helper()
	records := map[string]string{"XXX.sparse.major": "1", "XXX.sparse.minor": "0", "XXX.sparse.name": "sparse", "XXX.sparse.realsize": "8388608"}
	// Its map, of one block: no piece of data.
	content := "0\n" + strings.Repeat("\x00", 510)
	archive := Archive(t, Entry{Header: tar.Header{Typeflag: tar.TypeReg, Name: "x", Mode: 0o644, Format: tar.FormatPAX, PAXRecords: records}, Content: content})
	return bytes.ReplaceAll(archive, []byte("XXX.sparse."), []byte("GNU.sparse."))
}
