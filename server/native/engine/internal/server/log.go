package server

import (
	"os"
	"strings"
	"time"

	"go.temporal.io/server/common/log"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"agent-runtime/native/engine/internal/database"
	"agent-runtime/native/engine/internal/failure"
)

// Logs writes to standard error and watches what passes for the two things that a supervisor must hear of.
type Logs struct {
	log.Logger
	level zap.AtomicLevel
}

// Quiet drops everything below an error; stopping services complain about each other.
func (l *Logs) Quiet() { l.level.SetLevel(zapcore.DPanicLevel) }

// newLogs makes the server's logger. onDiskFull is called at most twice a minute, onFatal instead of the sudden end.
func newLogs(level, format string, onDiskFull func(), onFatal func(error)) *Logs {
	encoding := log.DefaultZapEncoderConfig
	encoder := zapcore.NewConsoleEncoder(encoding)
	if format == "json" {
		encoder = zapcore.NewJSONEncoder(encoding)
	}
	atLeast := zap.NewAtomicLevelAt(log.ParseZapLevel(level))
	if level == "never" {
		atLeast.SetLevel(zapcore.FatalLevel)
	}
	core := &watchingCore{
		Core:       zapcore.NewCore(encoder, zapcore.Lock(os.Stderr), atLeast),
		onDiskFull: rarely(30*time.Second, onDiskFull),
	}
	logger := zap.New(core, zap.WithFatalHook(fatalHook{onFatal}))
	return &Logs{Logger: log.NewZapLogger(logger), level: atLeast}
}

type watchingCore struct {
	zapcore.Core
	onDiskFull func()
}

func (c *watchingCore) With(fields []zapcore.Field) zapcore.Core {
	return &watchingCore{Core: c.Core.With(fields), onDiskFull: c.onDiskFull}
}

// The server misses an HTTP port for Nexus at every start; we have neither.
const noise = "HTTP API port has not been set."

func (c *watchingCore) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(entry.Level) && !strings.HasPrefix(entry.Message, noise) {
		return checked.AddCore(entry, c)
	}
	return checked
}

func (c *watchingCore) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	if err := errorIn(fields); database.IsDiskFull(err) {
		c.onDiskFull()
	}
	return c.Core.Write(entry, fields)
}

func errorIn(fields []zapcore.Field) error {
	for _, field := range fields {
		if err, isError := field.Interface.(error); isError {
			return err
		}
	}
	return nil
}

// The server ends the process when a listener cannot be opened, so its exit code is set here.
type fatalHook struct{ onFatal func(error) }

func (h fatalHook) OnWrite(entry *zapcore.CheckedEntry, fields []zapcore.Field) {
	err := errorIn(fields)
	if strings.Contains(entry.Message, "listener") {
		for _, field := range fields {
			if field.Key == "address" {
				h.onFatal(portTaken(field.String, err))
			}
		}
	}
	h.onFatal(failure.New(failure.Internal, err, "The engine stopped: %s: %v.", entry.Message, err))
}

func rarely(pause time.Duration, work func()) func() {
	gate := make(chan struct{}, 1)
	return func() {
		select {
		case gate <- struct{}{}:
			work()
			time.AfterFunc(pause, func() { <-gate })
		default:
		}
	}
}
