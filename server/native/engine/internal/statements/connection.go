// Package statements keeps prepared SQLite statements. The server prepares every statement anew, which for its
// visibility table (50 generated columns, 60 indexes, three triggers) costs more than running it: a fifth of the engine's work.
package statements

import (
	"context"
	"database/sql/driver"
	"errors"
)

// inner is what the SQLite driver's connections can do.
type inner interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.SessionResetter
	driver.Validator
}

// Connector opens connections that keep their statements.
type Connector struct {
	Base driver.Driver
	Name string
}

var errUnknownDriver = errors.New("the SQLite driver lacks what keeping statements needs")

// Connect opens one connection.
func (c Connector) Connect(context.Context) (driver.Conn, error) {
	opened, err := c.Base.Open(c.Name)
	if err != nil {
		return nil, err
	}
	known, ok := opened.(inner)
	if !ok {
		_ = opened.Close()
		return nil, errUnknownDriver
	}
	return &connection{inner: known, kept: newCache(keptStatements)}, nil
}

// Driver is the driver below.
func (c Connector) Driver() driver.Driver { return c.Base }

type connection struct {
	inner
	kept *cache
}

// ExecContext runs a statement that was prepared before, if it was.
func (c *connection) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s := c.take(ctx, query)
	if s == nil {
		return c.inner.ExecContext(ctx, query, args)
	}
	defer c.kept.release(s)
	return s.ExecContext(ctx, args)
}

// QueryContext does the same for a query; the statement is lent until its rows are closed.
func (c *connection) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s := c.take(ctx, query)
	if s == nil {
		return c.inner.QueryContext(ctx, query, args)
	}
	found, err := s.QueryContext(ctx, args)
	if err != nil {
		c.kept.release(s)
		return nil, err
	}
	return &rows{Rows: found, done: func() { c.kept.release(s) }}, nil
}

// take gives a prepared statement, or nil when this query must go its own way: it is in use, or it cannot be prepared,
// and then the ordinary way has the better error.
func (c *connection) take(ctx context.Context, query string) *statement {
	s, known := c.kept.take(query)
	if known {
		return s
	}
	prepared, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil
	}
	able, ok := prepared.(preparedStatement)
	if !ok {
		_ = prepared.Close()
		return nil
	}
	return c.kept.add(query, able)
}

// Close closes the statements with the connection.
func (c *connection) Close() error {
	c.kept.close()
	return c.inner.Close()
}

type rows struct {
	driver.Rows
	done func()
}

func (r *rows) Close() error {
	err := r.Rows.Close()
	if r.done != nil {
		r.done()
		r.done = nil
	}
	return err
}
