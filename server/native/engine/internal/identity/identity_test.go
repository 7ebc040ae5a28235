package identity

import (
	"crypto/tls"
	"encoding/json"
	"net"
	"strings"
	"testing"

	"agent-runtime/native/engine/internal/failure"
)

func made(t *testing.T) *Identity {
	t.Helper()
	identity, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return identity
}

// handshake returns the error of each end of a connection.
func handshake(t *testing.T, listening, calling *tls.Config) (server, client error) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	refused := make(chan error, 1)
	go func() {
		accepted, err := listener.Accept()
		if err != nil {
			refused <- err
			return
		}
		defer func() { _ = accepted.Close() }()
		refused <- tls.Server(accepted, listening).Handshake()
	}()
	connection, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	caller := tls.Client(connection, calling)
	client = caller.Handshake()
	_ = caller.CloseWrite()
	if client != nil {
		_ = connection.Close()
	}
	return <-refused, client
}

func TestBothEndsRefuseAllOthers(t *testing.T) {
	server, client, err := made(t).Sides()
	if err != nil {
		t.Fatal(err)
	}
	otherServer, otherClient, err := made(t).Sides()
	if err != nil {
		t.Fatal(err)
	}
	anonymous := client.Clone()
	anonymous.Certificates = nil
	// The certificate is no secret: a server shows it to every caller.
	copied := client.Clone()
	copied.Certificates = []tls.Certificate{{Certificate: client.Certificates[0].Certificate, PrivateKey: otherClient.Certificates[0].PrivateKey}}

	if listening, calling := handshake(t, server, client); listening != nil || calling != nil {
		t.Errorf("the same identity: %v, %v", listening, calling)
	}
	for name, caller := range map[string]*tls.Config{"no certificate": anonymous, "a copied certificate": copied} {
		if listening, _ := handshake(t, server, caller); listening == nil {
			t.Errorf("%s was let in", name)
		}
	}
	stranger := otherClient.Clone()
	stranger.RootCAs = client.RootCAs
	if listening, _ := handshake(t, server, stranger); listening == nil {
		t.Error("another identity was let in")
	}
	// Another process may listen on a port that an engine has left.
	if _, calling := handshake(t, otherServer, client); calling == nil {
		t.Error("another server was believed")
	}
}

func TestTheFirstLineIsTheIdentityOrAsksForOne(t *testing.T) {
	fresh, err := Read(strings.NewReader("{}\nrest"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := Read(strings.NewReader("{}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if *fresh == *other {
		t.Error("two engines have the same identity")
	}
	again, err := Read(strings.NewReader(line(fresh.Authority, fresh.Certificate, fresh.Key)))
	if err != nil || *again != *fresh {
		t.Errorf("%v", err)
	}
}

func TestRefusesWhatIsNoIdentityWithoutRepeatingIt(t *testing.T) {
	known, other := made(t), made(t)
	for name, line := range map[string]string{
		"nothing":        "",
		"half a line":    `{"key":"SECRET`,
		"no JSON":        "SECRET\n",
		"no PEM":         line("SECRET", "SECRET", "SECRET"),
		"no certificate": line(known.Authority, "", known.Key),
		"no authority":   line("", known.Certificate, known.Key),
		"two halves":     line(known.Authority, known.Certificate, other.Key),
		"too long":       `{"key":"` + strings.Repeat("S", longestLine) + `"}` + "\n",
	} {
		_, err := Read(strings.NewReader(line))
		got := failure.Of(err)
		if err == nil || got.Code != failure.Usage || got.Sentence != "The first line of standard input is no identity, which --mutual-tls needs." {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func line(authority, certificate, key string) string {
	text, _ := json.Marshal(Identity{Authority: authority, Certificate: certificate, Key: key})
	return string(text) + "\n"
}
