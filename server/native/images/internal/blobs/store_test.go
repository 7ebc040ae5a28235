package blobs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"agent-runtime/native/images/internal/blobs"
	"agent-runtime/native/images/internal/failure"
	"agent-runtime/native/images/internal/limits"
	. "agent-runtime/native/images/internal/testimage"
)

const digest = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

func TestRefusesManifestsThatMakeNoSense(t *testing.T) {
	manifest := func(config, layer string) string {
		return fmt.Sprintf(`{"schemaVersion": 2, "config": %s, "layers": [%s]}`, config, layer)
	}
	part := func(digest string, size int64) string { return fmt.Sprintf(`{"digest": %q, "size": %d}`, digest, size) }
	small := part(digest, 1)
	for text, want := range map[string]failure.Code{
		"no JSON":              failure.ImageInvalid,
		`{"schemaVersion": 1}`: failure.ImageInvalid,
		manifest("{}", small):  failure.ImageInvalid,
		manifest(small, "{}"):  failure.ImageInvalid,
		manifest(small, part("sha256:../../../../etc/passwd", 1)):                failure.ImageInvalid,
		manifest(small, part("sha512:"+strings.Repeat("a", 128), 1)):             failure.ImageInvalid,
		manifest(small, part(digest, -1)):                                        failure.ImageTooLarge,
		manifest(small, part(digest, 1<<62)+","+part(digest, 1<<62)):             failure.ImageTooLarge,
		manifest(part(digest, 5<<20), small):                                     failure.ImageTooLarge,
		manifest(small, strings.TrimSuffix(strings.Repeat(small+",", 257), ",")): failure.ImageTooLarge,
	} {
		_, err := blobs.ParseManifest([]byte(text), limits.Default)
		var known *failure.Failure
		if !errors.As(err, &known) || known.Code != want {
			t.Errorf("%.200s: %v", text, err)
		}
	}
}

func TestForgetsASmallBlobThatWasDamaged(t *testing.T) {
	store, err := blobs.Open(t.TempDir())
	Must(t, err)
	kept, err := store.Put([]byte("content"))
	Must(t, err)
	Must(t, os.WriteFile(store.Path(kept), []byte("c0ntent"), 0o600))
	if _, err := store.Read(kept, 100); failure.Of(err).Code != failure.LayerDamaged {
		t.Errorf("got %v", err)
	}
	if store.Has(kept, 7) {
		t.Error("it is still there")
	}
}

func TestDropsAbandonedDownloads(t *testing.T) {
	folder := t.TempDir()
	_, err := blobs.Open(folder)
	Must(t, err)
	old, young := filepath.Join(folder, "partial", "old"), filepath.Join(folder, "partial", "young")
	for file, age := range map[string]time.Duration{old: limits.PartialAge + time.Hour, young: limits.PartialAge - time.Hour} {
		Must(t, os.WriteFile(file, []byte("x"), 0o600))
		at := time.Now().Add(-age)
		Must(t, os.Chtimes(file, at, at))
	}
	_, err = blobs.Open(folder)
	Must(t, err)
	_, oldErr := os.Stat(old)
	_, youngErr := os.Stat(young)
	if oldErr == nil || youngErr != nil {
		t.Errorf("old: %v, young: %v", oldErr, youngErr)
	}
}

func TestOneDownloadsABlobAtATime(t *testing.T) {
	store, err := blobs.Open(t.TempDir())
	Must(t, err)
	blob, err := v1.NewHash(digest)
	Must(t, err)
	first, err := store.OpenPartial(context.Background(), blob)
	Must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := store.OpenPartial(ctx, blob); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v while another has it", err)
	}
	first.Close()
	second, err := store.OpenPartial(ctx, blob)
	Must(t, err)
	second.Close()
}
