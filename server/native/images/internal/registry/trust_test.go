package registry_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"agent-runtime/native/images/internal/failure"
	pulling "agent-runtime/native/images/internal/registry"
	. "agent-runtime/native/images/internal/testimage"
)

func TestTrustsACertificateOnlyWhenConfigured(t *testing.T) {
	f := &front{}
	host, ca := serve(t, f, true)
	ref := f.put(t, host, "image:1", New(t, v1.Config{}, Layer(t, File("a", "x"))))
	other := "not a certificate"
	for name, one := range map[string]struct {
		ref   string
		trust pulling.Trust
		code  failure.Code
	}{
		"no setting":          {ref, pulling.Trust{}, failure.CertificateNotTrusted},
		"its authority":       {ref, pulling.Trust{CA: ca}, ""},
		"no certificate":      {ref, pulling.Trust{CA: []byte(other)}, failure.Usage},
		"nothing is checked":  {ref, pulling.Trust{Insecure: true}, ""},
		"one of another host": {strings.Replace(ref, "127.0.0.1", "localhost", 1), pulling.Trust{CA: ca}, failure.CertificateNotTrusted},
	} {
		t.Run(name, func(t *testing.T) {
			o := options()
			o.Trust = one.trust
			if _, code, sentence := pull(t, newStore(t), one.ref, o); code != one.code {
				t.Errorf("%q %s", code, sentence)
			}
		})
	}
}

func TestTakesTheCredentialsOfDocker(t *testing.T) {
	f := &front{password: "right"}
	host, _ := serve(t, f, false)
	ref := f.put(t, host, "image:1", New(t, v1.Config{}, Layer(t, File("a", "x"))))
	login := func(password string) string {
		return fmt.Sprintf(`{"auths": {%q: {"auth": %q}}}`, host, base64.StdEncoding.EncodeToString([]byte("me:"+password)))
	}
	for name, one := range map[string]struct {
		config, helper string
		code           failure.Code
	}{
		"none":                     {code: failure.RegistryUnauthorized},
		"a password":               {config: login("right"), code: ""},
		"another password":         {config: login("wrong"), code: failure.RegistryUnauthorized},
		"no JSON":                  {config: "{", code: failure.CredentialsFailed},
		"a helper":                 {config: fmt.Sprintf(`{"credHelpers": {%q: "kept"}}`, host), helper: "right", code: ""},
		"a helper that is missing": {config: fmt.Sprintf(`{"credHelpers": {%q: "kept"}}`, host), code: failure.CredentialsFailed},
		"a helper, wrong password": {config: fmt.Sprintf(`{"credHelpers": {%q: "kept"}}`, host), helper: "wrong", code: failure.RegistryUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			store := newStore(t)
			if one.config != "" {
				dockerConfig(t, one.config)
			}
			if one.helper != "" {
				installHelper(t, one.helper)
			}
			_, code, sentence := pull(t, store, ref, options())
			if code != one.code || strings.Contains(sentence, "right") || strings.Contains(sentence, "wrong") {
				t.Errorf("%q %s", code, sentence)
			}
		})
	}
}

// installHelper puts a credential helper on PATH.
func installHelper(t *testing.T, password string) {
	t.Helper()
	folder := t.TempDir()
	script := "#!/bin/sh\ncat > /dev/null\necho '{\"ServerURL\": \"x\", \"Username\": \"me\", \"Secret\": \"" + password + "\"}'\n"
	Must(t, os.WriteFile(filepath.Join(folder, "docker-credential-kept"), []byte(script), 0o755))
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
}
