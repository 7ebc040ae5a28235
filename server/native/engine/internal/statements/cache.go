package statements

import (
	"container/list"
	"database/sql/driver"
)

// The server has about 150 different statements; those with lists of values have many texts and push each other out.
const keptStatements = 256

type preparedStatement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

type statement struct {
	preparedStatement
	query   string
	isLent  bool
	element *list.Element
}

// cache keeps the statements of one connection, least recently used first. A connection serves one caller at a time,
// so nothing here needs a lock.
type cache struct {
	limit   int
	byQuery map[string]*statement
	order   *list.List
}

func newCache(limit int) *cache {
	return &cache{limit: limit, byQuery: map[string]*statement{}, order: list.New()}
}

// take lends a statement. A known one that is lent already is known, but nil.
func (c *cache) take(query string) (s *statement, known bool) {
	s, known = c.byQuery[query]
	if !known {
		return nil, false
	}
	if s.isLent {
		return nil, true
	}
	s.isLent = true
	c.order.MoveToBack(s.element)
	return s, true
}

// add keeps a new statement and lends it.
func (c *cache) add(query string, prepared preparedStatement) *statement {
	s := &statement{preparedStatement: prepared, query: query, isLent: true}
	s.element = c.order.PushBack(s)
	c.byQuery[query] = s
	for element := c.order.Front(); element != nil && c.order.Len() > c.limit; {
		next := element.Next()
		if oldest, ok := element.Value.(*statement); ok && !oldest.isLent {
			c.drop(oldest)
		}
		element = next
	}
	return s
}

func (c *cache) release(s *statement) { s.isLent = false }

func (c *cache) drop(s *statement) {
	c.order.Remove(s.element)
	delete(c.byQuery, s.query)
	_ = s.Close()
}

func (c *cache) close() {
	for _, s := range c.byQuery {
		c.drop(s)
	}
}
