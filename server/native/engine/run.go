package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/headers"

	"agent-runtime/native/engine/internal/database"
	"agent-runtime/native/engine/internal/identity"
	"agent-runtime/native/engine/internal/options"
	"agent-runtime/native/engine/internal/server"
)

const (
	// An instance that is stopping, or whose parent was killed, needs a short time to release the database.
	lockTimeout = 2 * time.Second
	stopLimit   = 4500 * time.Millisecond
	// Only the next engine on the same file waits for an engine without a parent.
	orphanLimit = time.Second
)

// run serves until it is stopped, and returns an error only when it could not serve.
func run(o *options.Options) error {
	prepareProcess()
	known, err := knownIdentity(o)
	if err != nil {
		return err
	}
	stop := stopRequests(o.ParentPipe)
	started := make(chan startup, 1)
	go func() { started <- start(o, known) }()
	select {
	case <-stop:
		// Nothing to tidy: every change of the file so far is a transaction.
		return nil
	case result := <-started:
		if result.err != nil {
			return result.err
		}
		go balanceMemory()
		report(event{Event: "ready", Address: result.address, PID: os.Getpid(), Server: headers.ServerVersion, Identity: known})
		result.server.Stop(<-stop)
		if result.lock != nil {
			result.lock.Release()
		}
		return nil
	}
}

type startup struct {
	server  *server.Server
	lock    *database.Lock
	address string
	err     error
}

// knownIdentity comes from the supervisor, whose clients outlive an engine. Without one every client is accepted.
func knownIdentity(o *options.Options) (*identity.Identity, error) {
	if !o.MutualTLS {
		return nil, nil
	}
	return identity.Read(os.Stdin)
}

func start(o *options.Options, known *identity.Identity) startup {
	lock, port, cfg, err := claim(o)
	if err != nil {
		return startup{err: err}
	}
	running, err := server.Start(context.Background(), server.Settings{
		IP:               o.IP,
		Port:             port,
		Database:         cfg,
		Identity:         known,
		Namespaces:       o.Namespaces,
		SearchAttributes: o.SearchAttributes,
		Unlisted:         o.Unlisted,
		DynamicConfig:    o.DynamicConfig,
		LogLevel:         o.LogLevel,
		LogFormat:        o.LogFormat,
	}, server.Events{
		OnDiskFull: func() { report(event{Event: "disk_full", File: o.DatabaseFile}) },
		OnFatal:    fail,
	})
	return startup{server: running, lock: lock, address: server.Address(o.IP, port), err: database.Explain(o.DatabaseFile, err)}
}

// claim takes what can belong to one process only, file before port: the file's holder is the better explanation.
func claim(o *options.Options) (lock *database.Lock, port int, cfg *config.SQL, err error) {
	if o.DatabaseFile != "" {
		self := database.Holder{PID: os.Getpid(), Address: server.Address(o.IP, o.Port)}
		if lock, err = database.AcquireLock(o.DatabaseFile, self, lockTimeout); err != nil {
			return nil, 0, nil, err
		}
	}
	if port, err = server.ChoosePort(o.IP, o.Port); err != nil {
		return nil, 0, nil, err
	}
	if lock != nil {
		_ = lock.Write(database.Holder{PID: os.Getpid(), Address: server.Address(o.IP, port)})
		outcome, err := database.Prepare(context.Background(), o.DatabaseFile)
		if err != nil {
			return nil, 0, nil, err
		}
		if outcome.Copy != "" {
			report(event{Event: "upgraded", File: o.DatabaseFile, Copy: outcome.Copy, Steps: outcome.Upgraded})
		}
	}
	cfg, err = database.Config(o.DatabaseFile, o.Pragmas)
	return lock, port, cfg, err
}

// stopRequests delivers how long stopping may take, once it is requested.
func stopRequests(parentPipe bool) <-chan time.Duration {
	stop := make(chan time.Duration, 2)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	if parentPipe {
		// Ctrl+C reaches every process of the terminal, but the parent stops its engine last.
		signal.Ignore(syscall.SIGINT, syscall.SIGHUP)
	} else {
		signal.Notify(signals, syscall.SIGINT)
	}
	go func() {
		<-signals
		stop <- stopLimit
	}()
	if parentPipe {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			stop <- orphanLimit
		}()
	}
	return stop
}
