import { describe, expect, it } from 'vitest';
import * as build from '../../../test/fixtures/thread-builder.ts';
import { fromBytes, packFrame, toBytes, unpackFrame } from '../frame.ts';
import type { Payload } from '../checkpoint/payload.ts';
import { contextAt } from './run-context.ts';
import { compact, payloadBytes } from '../thread/thread-compaction.ts';
import * as reducer from '../thread/thread-reducer.ts';
import { readReferences } from '../thread/thread-references.ts';
import type { RunTicket, StoredRun } from './run-record.ts';
import type { ThreadSnapshot, ThreadState } from '../thread/thread-record.ts';
import { openThread, snapshotThread } from '../thread/thread-state.ts';
import type { AttemptResult } from '../thread/thread-wire.ts';

const warm = toBytes('{"tone":"warm"}');
const cold = toBytes('{"tone":"cold"}');

function text(context: Payload | undefined): string | undefined {
  return context === undefined ? undefined : fromBytes(context as Uint8Array); // small ones stay as they are
}

/** Queues a run and makes it the active one, in its first attempt. */
function start(state: ThreadState, runUuid: string, changes: Partial<RunTicket> = {}): StoredRun {
  reducer.createRun(state, build.ticket(runUuid, changes));
  return begin(state);
}

function begin(state: ThreadState): StoredRun {
  const run = reducer.activateNextRun(state);
  if (!run) throw new Error('nothing to activate');
  reducer.beginAttempt(run);
  return run;
}

function finish(
  state: ThreadState,
  run: StoredRun,
  outcome: AttemptResult['outcome'] = 'completed',
  ops: AttemptResult['ops'] = [build.save(`of-${run.runUuid}`, { c: run.runUuid })],
): void {
  reducer.finishAttempt(state, run, build.result(outcome, { ops }), 0);
}

/** A thread with history on which one run was interrupted, with a context. */
function interrupted(): ThreadState {
  const state = build.thread({ maxCheckpointHistory: 10 });
  finish(state, start(state, 'first', { context: warm }), 'interrupted');
  return state;
}

describe('the context of a run that brings none', () => {
  it('is that of the run which it resumes, also when that one inherited it', () => {
    const state = interrupted();
    const second = start(state, 'second', { continues: true });
    expect([text(second.context), second.continues]).toEqual(['{"tone":"warm"}', undefined]);
    // Asks again without its own checkpoint.
    finish(state, second, 'interrupted', [build.write('of-first')]);
    expect(text(start(state, 'third', { continues: true }).context)).toBe('{"tone":"warm"}');
  });

  it('is the one that the run before brought, and nothing when that had none', () => {
    const state = interrupted();
    finish(state, start(state, 'second', { context: cold }), 'interrupted');
    finish(state, start(state, 'third', { continues: true }));
    expect(text(state.runs.get('third')?.context)).toBe('{"tone":"cold"}');
    finish(state, start(state, 'fourth'));
    expect(text(start(state, 'fifth', { continues: true }).context)).toBeUndefined();
  });

  it('is that of the run in front of it in the queue', () => {
    const state = interrupted();
    const second = start(state, 'second', { context: cold });
    reducer.createRun(state, build.ticket('third', { continues: true }));
    finish(state, second);
    expect(text(begin(state).context)).toBe('{"tone":"cold"}');
  });

  it('stays nothing with new input', () => {
    const state = interrupted();
    expect(text(start(state, 'second').context)).toBeUndefined();
  });

  it('is that of the run which saved the checkpoint, or one above it', () => {
    const state = interrupted();
    finish(state, start(state, 'second', { context: cold }));
    const at = (id: string) => ({ continues: true, checkpoint: { ns: '', id } });
    reducer.applyBatch(state, {
      runUuid: 'outside',
      attempt: 1,
      firstSeq: 1,
      ops: [build.save('edited', { c: 'edit' }, { parentId: 'of-first' })],
    });
    finish(state, start(state, 'fork', at('of-first')));
    finish(state, start(state, 'fork-of-edit', at('edited')));
    expect(text(state.runs.get('fork')?.context)).toBe('{"tone":"warm"}');
    expect(text(state.runs.get('fork-of-edit')?.context)).toBe('{"tone":"warm"}');
    expect(text(contextAt(state, { ns: '', id: 'of-second' }))).toBe('{"tone":"cold"}');
  });

  it('is that of the source on a copy, until a run has begun there', () => {
    const state = build.copied({ store: snapshotThread(build.thread()).store, context: warm });
    finish(state, start(state, 'first', { continues: true }));
    expect(text(state.runs.get('first')?.context)).toBe('{"tone":"warm"}');
    finish(state, start(state, 'second', { context: cold }));
    expect(text(start(state, 'third', { continues: true }).context)).toBe('{"tone":"cold"}');
  });
});

describe('what a thread keeps of contexts', () => {
  it('continues into its next execution', () => {
    const frame = packFrame(snapshotThread(interrupted()));
    const state = openThread({ kind: 'continued', snapshot: unpackFrame<ThreadSnapshot>(frame) });
    expect(text(start(state, 'second', { continues: true }).context)).toBe('{"tone":"warm"}');
  });

  it('is shed with the outputs, but for the run that may be resumed', () => {
    const state = build.thread();
    const large = { context: new Uint8Array(50_000) };
    finish(state, start(state, 'first', large));
    finish(state, start(state, 'second', large), 'interrupted');
    const before = payloadBytes(state);
    expect(before).toBeGreaterThan(100_000);
    expect(compact(state, before - 40_000)).toMatchObject({ shed: 'outputs' });
    const kept = [...state.runs.values()].map(({ context }) => context !== undefined);
    expect(kept).toEqual([false, true]);
  });

  it('is among its references where it lies outside', () => {
    const state = build.thread();
    const context = { hash: 'f'.repeat(64), size: 100_000 };
    finish(state, start(state, 'first', { context }));
    state.context = { hash: 'e'.repeat(64), size: 100_000 };
    expect(readReferences(state, {}).hashes).toEqual(['e'.repeat(64), 'f'.repeat(64)]);
  });
});
