package evaluator

import "time"

// Steps of an evaluation between two looks at the clock; a step takes some microseconds.
const stepsBetweenLooks = 64

// So many times its limit a question is given for time without a processor: others wait for it meanwhile.
const mostIdle = 3

// Idle is for how long the thread has had no processor, since any time. On a busy machine that is most of the time,
// and no fault of a policy.
type Idle func() time.Duration

// clock is what remains of the time of one question. OPA asks it (topdown.Cancel) at every step of an evaluation: Go's
// own timers share the thread, so they would come too late.
type clock struct {
	end   time.Time
	last  time.Time
	idle  Idle
	was   time.Duration
	steps int
	// The time was over during an evaluation, with any result.
	isOver bool
}

// newClock is for one question; without `idle` all time counts.
func newClock(limit time.Duration, idle Idle) *clock {
	now := time.Now()
	started := &clock{end: now.Add(limit), last: now.Add(limit + mostIdle*limit), idle: idle}
	if idle != nil {
		started.was = idle()
	}
	return started
}

func (c *clock) Cancelled() bool {
	c.steps++
	if !c.isOver && c.steps%stepsBetweenLooks == 0 && time.Now().After(c.end) {
		c.isOver = !c.wasIdle()
	}
	return c.isOver
}

// wasIdle gives back the time that the thread did not have.
func (c *clock) wasIdle() bool {
	if c.idle == nil {
		return false
	}
	now := c.idle()
	c.end = c.end.Add(now - c.was)
	c.was = now
	if c.end.After(c.last) {
		c.end = c.last
	}
	return time.Now().Before(c.end)
}

// Cancel is required by the interface, and never called.
func (c *clock) Cancel() { c.isOver = true }
