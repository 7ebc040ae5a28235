import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RunId, RunUuid, ThreadId } from '../model/ids.ts';
import { jsonText } from '../model/json.ts';
import type { StreamMode } from '../model/run/run.ts';
import type { RunEvent } from '../streams/port.ts';
import { createRunEvents, type RunEvents } from './run-events.ts';

// valid ids
const threadId = 'thread' as ThreadId;
const runUuid = '0197b1a0-0000-7000-8000-000000000001' as RunUuid;
const now = '2026-11-21T12:00:00.000Z';

afterEach(() => vi.useRealTimers());

function begun(attempt: number, lastFailure?: 'CRASH'): { events: RunEvents; appended: unknown[] } {
  vi.useFakeTimers({ now: Date.parse(now) });
  const appended: unknown[] = [];
  const streams = {
    open: () => undefined,
    append: (_run: RunId, { id, mode, data }: RunEvent) =>
      appended.push([id, mode, JSON.parse(data)]),
  };
  const first = { threadId, runUuid, attempt, ...(lastFailure && { lastFailure }) };
  return { events: createRunEvents(streams, first), appended };
}

const modes: StreamMode[] = ['values', 'lifecycle'];
const chunk = { mode: 'values', ns: '', data: jsonText('1') };

describe('lifecycle events', () => {
  it('report each attempt, in the order of the others', () => {
    const { events, appended } = begun(1);
    events.open(modes);
    events.chunk(chunk);
    events.continueIn({ attempt: 2, lastFailure: 'CAN' });
    events.chunk(chunk);
    expect(appended).toEqual([
      [1, 'lifecycle', { attempt: 1, last_failure: null, ts: now }],
      [2, 'values', 1],
      [3, 'lifecycle', { attempt: 2, last_failure: 'CAN', ts: now }],
      [4, 'values', 1],
    ]);
  });

  it('begin anew with an attempt after a failure, whose ids are larger', () => {
    const { events, appended } = begun(3, 'CRASH');
    events.open(modes);
    expect(appended).toEqual([
      [2_000_000_001, 'lifecycle', { attempt: 3, last_failure: 'CRASH', ts: now }],
    ]);
  });

  it('report an attempt once, also when the run was not open yet', () => {
    const { events, appended } = begun(1);
    events.continueIn({ attempt: 2, lastFailure: 'CAN' });
    events.open(modes);
    events.continueIn({ attempt: 2, lastFailure: 'CAN' });
    expect(appended).toMatchObject([
      [1, 'lifecycle', { attempt: 1 }],
      [2, 'lifecycle', { attempt: 2 }],
    ]);
  });

  it('are absent unless asked for', () => {
    const { events, appended } = begun(1);
    events.open(['values']);
    events.continueIn({ attempt: 2, lastFailure: 'CAN' });
    events.chunk(chunk);
    expect(appended).toEqual([[1, 'values', 1]]);
  });
});
