package registry_test

import (
	"context"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"agent-runtime/native/images/internal/blobs"
	"agent-runtime/native/images/internal/failure"
	"agent-runtime/native/images/internal/limits"
	pulling "agent-runtime/native/images/internal/registry"
	. "agent-runtime/native/images/internal/testimage"
)

// front is a proxy for a real registry and does what networks and registries do.
type front struct {
	handler http.Handler
	mutex   sync.Mutex
	// cutAfter ends the connection after so many bytes of a blob; 0: never.
	cutAfter, cuts int
	// noRanges is a registry that always sends all.
	noRanges bool
	// spoil changes what is sent.
	spoil func(path string, body []byte) []byte
	// password is asked for, if there is one.
	password string
	status   int
	// ranges are those that were asked for; sent counts the bytes of blobs.
	ranges []string
	sent   int
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if _, given, _ := r.BasicAuth(); f.password != "" && given != f.password {
		w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if f.status != 0 && r.URL.Path != "/v2/" {
		w.WriteHeader(f.status)
		return
	}
	if f.noRanges {
		r.Header.Del("Range")
	}
	if asked := r.Header.Get("Range"); asked != "" {
		f.ranges = append(f.ranges, asked)
	}
	if r.Method != http.MethodGet {
		f.handler.ServeHTTP(w, r)
		return
	}
	recorded := httptest.NewRecorder()
	f.handler.ServeHTTP(recorded, r)
	body := recorded.Body.Bytes()
	if f.spoil != nil {
		body = f.spoil(r.URL.Path, body)
	}
	for key, values := range recorded.Header() {
		w.Header()[key] = values
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(recorded.Code)
	isBlob := strings.Contains(r.URL.Path, "/blobs/")
	if isBlob && f.cuts > 0 && len(body) > f.cutAfter {
		f.cuts--
		f.sent += f.cutAfter
		_, _ = w.Write(body[:f.cutAfter])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	if isBlob {
		f.sent += len(body)
	}
	_, _ = w.Write(body)
}

// serve starts a registry behind the front, with TLS when it is wanted.
func serve(t *testing.T, f *front, isTLS bool) (host string, ca []byte) {
	t.Helper()
	f.handler = registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	server := httptest.NewUnstartedServer(f)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	if isTLS {
		server.StartTLS()
		ca = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	return server.Listener.Addr().String(), ca
}

// put uploads an image past the front.
func (f *front) put(t *testing.T, host, tag string, image *Image) string {
	t.Helper()
	inner := httptest.NewServer(f.handler)
	defer inner.Close()
	store, err := blobs.Open(t.TempDir())
	Must(t, err)
	whole, err := store.Image(image.Keep(t, store), limits.Default)
	Must(t, err)
	ref, err := name.ParseReference(strings.TrimPrefix(inner.URL, "http://") + "/agents/" + tag)
	Must(t, err)
	Must(t, remote.Write(ref, whole))
	return host + "/agents/" + tag
}

// putIndex uploads an index of images, each for its platform.
func (f *front) putIndex(t *testing.T, host, tag string, images map[string]*Image) string {
	t.Helper()
	inner := httptest.NewServer(f.handler)
	defer inner.Close()
	store, err := blobs.Open(t.TempDir())
	Must(t, err)
	index := mutate.IndexMediaType(emptyIndex, types.OCIImageIndex)
	for platform, image := range images {
		whole, err := store.Image(image.Keep(t, store), limits.Default)
		Must(t, err)
		parsed, err := v1.ParsePlatform(platform)
		Must(t, err)
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: whole, Descriptor: v1.Descriptor{Platform: parsed}})
	}
	ref, err := name.ParseReference(strings.TrimPrefix(inner.URL, "http://") + "/agents/" + tag)
	Must(t, err)
	Must(t, remote.WriteIndex(ref, index))
	return host + "/agents/" + tag
}

// newStore is an empty cache, in a process without credentials.
func newStore(t *testing.T) *blobs.Store {
	t.Helper()
	home := t.TempDir()
	for _, variable := range []string{"HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"} {
		t.Setenv(variable, home)
	}
	t.Setenv("DOCKER_CONFIG", filepath.Join(home, ".docker"))
	t.Setenv("REGISTRY_AUTH_FILE", "")
	store, err := blobs.Open(filepath.Join(home, "cache"))
	Must(t, err)
	return store
}

// dockerConfig writes the configuration that docker login would.
func dockerConfig(t *testing.T, content string) {
	t.Helper()
	folder := os.Getenv("DOCKER_CONFIG")
	Must(t, os.MkdirAll(folder, 0o700))
	Must(t, os.WriteFile(filepath.Join(folder, "config.json"), []byte(content), 0o600))
}

var amd64 = v1.Platform{OS: "linux", Architecture: "amd64"}

func options() pulling.PullOptions {
	return pulling.PullOptions{Platform: amd64, Limits: limits.Default, Progress: func(int64, int64) {}}
}

func pull(t *testing.T, store *blobs.Store, ref string, o pulling.PullOptions) (*pulling.Pulled, failure.Code, string) {
	t.Helper()
	result, err := pulling.Pull(context.Background(), store, ref, o)
	if err != nil {
		known := failure.Of(err)
		return nil, known.Code, known.Sentence
	}
	return result, "", ""
}
