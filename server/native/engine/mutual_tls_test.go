package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"agent-runtime/native/engine/internal/identity"
)

func launchGuarded(t *testing.T, known *identity.Identity, arguments ...string) (*process, event) {
	t.Helper()
	line, err := json.Marshal(known)
	if err != nil {
		t.Fatal(err)
	}
	if known == nil {
		line = []byte("{}")
	}
	engine := launch(t, append([]string{"--port", "0", "--mutual-tls"}, arguments...)...)
	if _, err := io.WriteString(engine.stdin, string(line)+"\n"); err != nil {
		t.Fatal(err)
	}
	ready := engine.next(t)
	if ready.Event != "ready" || ready.Identity == nil {
		t.Fatalf("%+v\n%s", ready.Event, engine.stderr)
	}
	return engine, ready
}

func showing(t *testing.T, shown *identity.Identity) credentials.TransportCredentials {
	t.Helper()
	_, client, err := shown.Sides()
	if err != nil {
		t.Fatal(err)
	}
	return credentials.NewTLS(client)
}

// serves reports whether a port serves this caller: a gRPC response of any kind, even a refusal, follows the handshake.
func serves(t *testing.T, address string, transport credentials.TransportCredentials) bool {
	t.Helper()
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(transport))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, err = healthpb.NewHealthClient(connection).Check(ctx, &healthpb.HealthCheckRequest{})
	_, listed := workflowservice.NewWorkflowServiceClient(connection).ListNamespaces(ctx, &workflowservice.ListNamespacesRequest{})
	return status.Code(err) != codes.Unavailable || status.Code(listed) != codes.Unavailable
}

// listening lists the addresses on which a process listens.
func listening(t *testing.T, pid int) []string {
	t.Helper()
	table, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		t.Skip("only Linux lists listeners")
	}
	other, _ := os.ReadFile("/proc/net/tcp6")
	sockets := map[string]bool{}
	folder := fmt.Sprintf("/proc/%d/fd", pid)
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		target, _ := os.Readlink(folder + "/" + file.Name())
		if inode, isSocket := strings.CutPrefix(target, "socket:["); isSocket {
			sockets[strings.TrimSuffix(inode, "]")] = true
		}
	}
	// Local address, remote address, the state LISTEN, five columns, the socket.
	row := regexp.MustCompile(`(?m)^ *\d+: [0-9A-F]+:([0-9A-F]{4}) \S+ 0A(?: +\S+){5} +(\d+)`)
	var found []string
	for _, match := range row.FindAllStringSubmatch(string(table)+string(other), -1) {
		if port, err := strconv.ParseInt(match[1], 16, 32); err == nil && sockets[match[2]] {
			found = append(found, fmt.Sprintf("127.0.0.1:%d", port))
		}
	}
	return found
}

func TestItsOnePortServesTheIdentityAlone(t *testing.T) {
	engine, ready := launchGuarded(t, nil)
	other, err := identity.New()
	if err != nil {
		t.Fatal(err)
	}
	blind := credentials.NewTLS(&tls.Config{InsecureSkipVerify: true})
	pair := showingBlindly(t, other)
	if ports := listening(t, engine.command.Process.Pid); !slices.Equal(ports, []string{ready.Address}) {
		t.Errorf("listens on %v, serves %s", ports, ready.Address)
	}
	if !serves(t, ready.Address, showing(t, ready.Identity)) {
		t.Error("the identity is not served")
	}
	for name, transport := range map[string]credentials.TransportCredentials{
		"plain": insecure.NewCredentials(), "no certificate": blind, "another identity": pair,
	} {
		if serves(t, ready.Address, transport) {
			t.Errorf("%s is served", name)
		}
	}
}

// showingBlindly shows an identity to any listener.
func showingBlindly(t *testing.T, shown *identity.Identity) credentials.TransportCredentials {
	t.Helper()
	_, client, err := shown.Sides()
	if err != nil {
		t.Fatal(err)
	}
	client.InsecureSkipVerify = true
	return credentials.NewTLS(client)
}

func TestKeepsTheIdentityThatItIsGiven(t *testing.T) {
	_, first := launchGuarded(t, nil)
	_, second := launchGuarded(t, first.Identity)
	if *second.Identity != *first.Identity || !serves(t, second.Address, showing(t, first.Identity)) {
		t.Error("clients of the engine before are not known")
	}
	_, third := launchGuarded(t, nil)
	if serves(t, third.Address, showingBlindly(t, first.Identity)) {
		t.Error("clients of another engine are let in")
	}
}
