package registry_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"

	"agent-runtime/native/images/internal/failure"
	. "agent-runtime/native/images/internal/testimage"
)

var emptyIndex = empty.Index

// large is an image with a layer that does not compress.
func large(t *testing.T) *Image {
	t.Helper()
	content := make([]byte, 300_000)
	random := rand.NewChaCha8([32]byte{1})
	_, _ = random.Read(content)
	return New(t, v1.Config{}, Layer(t, File("noise", string(content))), Layer(t, File("small", "x")))
}

func TestPullsAnImageOnce(t *testing.T) {
	f := &front{}
	host, _ := serve(t, f, false)
	image := large(t)
	ref := f.put(t, host, "image:1", image)
	store := newStore(t)
	var progress [][2]int64
	o := options()
	o.IsMissingOnly = true
	o.Progress = func(done, total int64) { progress = append(progress, [2]int64{done, total}) }
	first, code, sentence := pull(t, store, ref, o)
	if code != "" || first.Digest != image.Digest() || first.IsCached || !store.IsComplete(first.Digest, o.Limits) {
		t.Fatalf("got %+v, %s %s", first, code, sentence)
	}
	if last := progress[len(progress)-1]; last[0] != last[1] {
		t.Errorf("the last progress is %v", last)
	}
	sent := f.sent
	again, code, _ := pull(t, store, ref, o)
	if code != "" || !again.IsCached || again.Digest != first.Digest {
		t.Errorf("got %+v, %s", again, code)
	}
	o.IsMissingOnly = false
	if _, code, _ := pull(t, store, ref, o); code != "" || f.sent != sent {
		t.Errorf("%s; %d bytes were sent again", code, f.sent-sent)
	}
}

func TestGoesOnWhereTheConnectionBroke(t *testing.T) {
	f := &front{cutAfter: 100_000, cuts: 2}
	host, _ := serve(t, f, false)
	image := large(t)
	ref := f.put(t, host, "image:1", image)
	if _, code, sentence := pull(t, newStore(t), ref, options()); code != "" {
		t.Fatalf("%s %s", code, sentence)
	}
	size := len(image.Layers[0].Bytes)
	want := []string{fmt.Sprintf("bytes=100000-%d", size-1), fmt.Sprintf("bytes=200000-%d", size-1)}
	if fmt.Sprint(f.ranges) != fmt.Sprint(want) {
		t.Errorf("asked for %v, want %v", f.ranges, want)
	}
	if total := size + len(image.Layers[1].Bytes) + len(image.Config); f.sent != total {
		t.Errorf("%d bytes were sent of %d", f.sent, total)
	}
}

func TestGoesOnWhereAnEarlierPullStopped(t *testing.T) {
	f := &front{}
	host, _ := serve(t, f, false)
	image := large(t)
	ref := f.put(t, host, "image:1", image)
	store := newStore(t)
	leave(t, store.Path(image.Digest()), image.Layers[0].Bytes[:70_000], image)
	if _, code, sentence := pull(t, store, ref, options()); code != "" {
		t.Fatalf("%s %s", code, sentence)
	}
	if len(f.ranges) != 1 || !strings.HasPrefix(f.ranges[0], "bytes=70000-") {
		t.Errorf("asked for %v", f.ranges)
	}
}

// leave puts the beginning of the first layer where a pull that was killed leaves it.
func leave(t *testing.T, beside string, content []byte, image *Image) {
	t.Helper()
	folder := filepath.Join(filepath.Dir(beside), "..", "..", "partial")
	Must(t, os.WriteFile(filepath.Join(folder, Digest(image.Layers[0].Bytes).Hex), content, 0o600))
}

func TestBeginsAnewWhenWhatWasThereIsDamaged(t *testing.T) {
	f := &front{}
	host, _ := serve(t, f, false)
	image := large(t)
	ref := f.put(t, host, "image:1", image)
	for name, left := range map[string][]byte{
		"other bytes": bytes.Repeat([]byte("x"), 70_000),
		"too many":    bytes.Repeat([]byte("x"), 400_000),
	} {
		t.Run(name, func(t *testing.T) {
			store := newStore(t)
			leave(t, store.Path(image.Digest()), left, image)
			result, code, sentence := pull(t, store, ref, options())
			if code != "" || !store.IsComplete(result.Digest, options().Limits) {
				t.Fatalf("%s %s", code, sentence)
			}
		})
	}
}

func TestBeginsAnewWhereTheRegistryKnowsNoRanges(t *testing.T) {
	f := &front{cutAfter: 100_000, cuts: 2, noRanges: true}
	host, _ := serve(t, f, false)
	image := large(t)
	ref := f.put(t, host, "image:1", image)
	store := newStore(t)
	var last [2]int64
	o := options()
	o.Progress = func(done, total int64) { last = [2]int64{done, total} }
	result, code, sentence := pull(t, store, ref, o)
	if code != "" || !store.IsComplete(result.Digest, o.Limits) {
		t.Fatalf("%s %s", code, sentence)
	}
	if last[0] != last[1] {
		t.Errorf("the last progress is %v", last)
	}
}

// Takes as long as the pauses between the attempts.
func TestGivesUpWhenNothingArrives(t *testing.T) {
	f := &front{cutAfter: 0, cuts: 1_000}
	host, _ := serve(t, f, false)
	ref := f.put(t, host, "image:1", New(t, v1.Config{}, Layer(t, File("a", "x"))))
	if _, code, sentence := pull(t, newStore(t), ref, options()); code != failure.RegistryUnreachable {
		t.Errorf("%s %s", code, sentence)
	}
}

func TestTakesTheImageOfThePlatform(t *testing.T) {
	f := &front{}
	host, _ := serve(t, f, false)
	images := map[string]*Image{
		"linux/amd64": New(t, v1.Config{User: "amd"}, Layer(t, File("a", "amd"))),
		"linux/s390x": New(t, v1.Config{User: "big"}, Layer(t, File("a", "big"))),
	}
	ref := f.putIndex(t, host, "many:1", images)
	alone := f.put(t, host, "one:1", images["linux/amd64"])
	store := newStore(t)
	if result, code, sentence := pull(t, store, ref, options()); code != "" || result.Digest != images["linux/amd64"].Digest() {
		t.Errorf("got %+v, %s %s", result, code, sentence)
	}
	for _, one := range []string{ref, alone} {
		o := options()
		o.Platform = v1.Platform{OS: "linux", Architecture: "arm64"}
		if _, code, sentence := pull(t, store, one, o); code != failure.PlatformMissing {
			t.Errorf("%s %s", code, sentence)
		}
	}
}

func TestRefusesWhatIsDamagedOrTooLarge(t *testing.T) {
	image := large(t)
	layer := Digest(image.Layers[0].Bytes).String()
	spoil := func(part string, change func([]byte) []byte) func(string, []byte) []byte {
		return func(path string, body []byte) []byte {
			if strings.Contains(path, part) {
				return change(body)
			}
			return body
		}
	}
	other := func(body []byte) []byte { return append([]byte{body[0] ^ 1}, body[1:]...) }
	longer := func(body []byte) []byte { return append(append([]byte{}, body...), "more"...) }
	for name, one := range map[string]struct {
		spoil func(string, []byte) []byte
		code  failure.Code
	}{
		"a layer with other bytes":  {spoil: spoil("/blobs/"+layer, other), code: failure.LayerDamaged},
		"a layer that is too long":  {spoil: spoil("/blobs/"+layer, longer), code: failure.LayerDamaged},
		"a configuration of others": {spoil: spoil("/blobs/"+Digest(image.Config).String(), other), code: failure.LayerDamaged},
		"a manifest without an end": {spoil: spoil("/manifests/", func([]byte) []byte { return make([]byte, 5<<20) }), code: failure.ImageTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			f := &front{spoil: one.spoil}
			host, _ := serve(t, f, false)
			ref := f.put(t, host, "image:1", image)
			store := newStore(t)
			if _, code, sentence := pull(t, store, ref, options()); code != one.code {
				t.Fatalf("%s %s", code, sentence)
			}
			if store.IsComplete(image.Digest(), options().Limits) {
				t.Error("the cache has the image")
			}
		})
	}
}

func TestBoundsTheDownload(t *testing.T) {
	f := &front{}
	host, _ := serve(t, f, false)
	ref := f.put(t, host, "image:1", large(t))
	o := options()
	o.Limits.DownloadBytes = 100_000
	if _, code, sentence := pull(t, newStore(t), ref, o); code != failure.ImageTooLarge || f.sent != 0 {
		t.Errorf("%s %s after %d bytes", code, sentence, f.sent)
	}
	o = options()
	o.Limits.Layers = 1
	if _, code, sentence := pull(t, newStore(t), ref, o); code != failure.ImageTooLarge {
		t.Errorf("%s %s", code, sentence)
	}
}

func TestSaysWhyThereIsNoImage(t *testing.T) {
	f := &front{}
	host, _ := serve(t, f, false)
	ref := f.put(t, host, "image:1", New(t, v1.Config{}))
	for name, one := range map[string]struct {
		ref    string
		status int
		code   failure.Code
	}{
		"no such tag":       {ref: host + "/agents/image:2", code: failure.ImageNotFound},
		"no such name":      {ref: host + "/agents/other:1", code: failure.ImageNotFound},
		"no name at all":    {ref: "UPPER CASE", code: failure.ReferenceInvalid},
		"a flag":            {ref: "--help", code: failure.ReferenceInvalid},
		"no listener":       {ref: "127.0.0.1:1/agents/image:1", code: failure.RegistryUnreachable},
		"no such host":      {ref: "registry.invalid/agents/image:1", code: failure.RegistryUnreachable},
		"forbidden":         {ref: ref, status: http.StatusForbidden, code: failure.RegistryUnauthorized},
		"too many":          {ref: ref, status: http.StatusTooManyRequests, code: failure.RegistryFailed},
		"a broken registry": {ref: ref, status: http.StatusNotImplemented, code: failure.RegistryFailed},
	} {
		t.Run(name, func(t *testing.T) {
			f.status = one.status
			_, code, sentence := pull(t, newStore(t), one.ref, options())
			if code != one.code || strings.Count(sentence, "\n") > 0 || !strings.HasSuffix(sentence, ".") {
				t.Errorf("%s %s", code, sentence)
			}
		})
	}
}
