// Command registry is a registry for tests: in memory, with its own certificate. It prints its address and the
// certificate as one JSON line and ends with its standard input.
package main

import (
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net/http/httptest"
	"os"

	"github.com/google/go-containerregistry/pkg/registry"
)

func main() {
	quiet := log.New(io.Discard, "", 0)
	server := httptest.NewUnstartedServer(registry.New(registry.Logger(quiet)))
	server.Config.ErrorLog = quiet
	server.StartTLS()
	defer server.Close()
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	_ = json.NewEncoder(os.Stdout).Encode(map[string]string{
		"address":     server.Listener.Addr().String(),
		"certificate": string(certificate),
	})
	_, _ = io.Copy(io.Discard, os.Stdin)
}
