import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { DebugPatience, plainPatience } from './patience.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('acts after its time while no debugger is attached', () => {
  const act = vi.fn();
  const patience = new DebugPatience(10_000);
  for (const each of [patience, plainPatience]) each.after(100, act);
  pass(99);
  expect(act).not.toHaveBeenCalled();
  pass(1);
  expect(act).toHaveBeenCalledTimes(2);
});

it('restarts a limit that ran out meanwhile when the debugger detaches', () => {
  const act = vi.fn();
  const patience = new DebugPatience(10_000);
  patience.after(100, act);
  patience.hold();
  pass(5_000);
  expect(act).not.toHaveBeenCalled();
  patience.letGo();
  pass(99);
  expect(act).not.toHaveBeenCalled();
  pass(1);
  expect(act).toHaveBeenCalledTimes(1);
  pass(50_000);
  expect(act).toHaveBeenCalledTimes(1);
});

it('has an end under a debugger, too', () => {
  const act = vi.fn();
  const patience = new DebugPatience(10_000);
  patience.hold();
  patience.after(100, act);
  pass(10_099);
  expect(act).not.toHaveBeenCalled();
  pass(1);
  expect(act).toHaveBeenCalledTimes(1);
});

it('can be called off at any time', () => {
  const act = vi.fn();
  const patience = new DebugPatience(10_000);
  const before = patience.after(100, act);
  before();
  patience.hold();
  const meanwhile = patience.after(100, act);
  pass(200);
  meanwhile();
  patience.letGo();
  pass(50_000);
  expect(act).not.toHaveBeenCalled();
});

it('remembers for a while that a debugger was there', () => {
  const patience = new DebugPatience(10_000);
  expect(patience.wasHeldWithin(1_000)).toBe(false);
  patience.hold();
  pass(5_000);
  expect(patience.wasHeldWithin(1_000)).toBe(true);
  patience.letGo();
  pass(999);
  expect(patience.wasHeldWithin(1_000)).toBe(true);
  pass(1);
  expect(patience.wasHeldWithin(1_000)).toBe(false);
});

function pass(ms: number): void {
  vi.advanceTimersByTime(ms);
}
