import { describe, expect, it } from 'vitest';
import { anAttempt, emptyThread, inlineParts } from '../../test/fixtures/attempts.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { Invocation, InvocationEnd } from '../guest/port.ts';
import type { CheckpointOp } from '../model/checkpoint/checkpoint.ts';
import { packFrame, toBytes } from '../model/frame.ts';
import { jsonText } from '../model/json.ts';
import { HeadCache } from './head-cache.ts';
import type { LiveEnd } from './live-run.ts';
import { performInvocation } from './perform-invocation.ts';
import { createRunEvents } from './run-events.ts';

const attempt = anAttempt({
  request: packFrame({
    start: { kind: 'proceed' },
    config: {},
    streamModes: [],
    durability: 'sync',
  }),
});

const completed: InvocationEnd = { kind: 'completed', output: jsonText('{"a":1}') };

function checkpoint(id: string): CheckpointOp {
  const bytes = { tag: 'json', bytes: toBytes('{}') };
  const head = { ns: '', id, ts: '2026-01-01T00:00:00Z', skeleton: bytes, metadata: bytes };
  return { kind: 'save', save: { ...head, metadataJson: jsonText('{}'), versions: {}, blobs: [] } };
}

/** An invocation whose guest saves a checkpoint and then ends so, whether or not it was stored. */
function perform(
  end: InvocationEnd,
  { save, isShutDown = false }: { save?: () => Promise<void>; isShutDown?: boolean } = {},
): Promise<LiveEnd> {
  const parts = {
    guests: {
      async invoke({ checkpoints }: Invocation): Promise<InvocationEnd> {
        await checkpoints.write(checkpoint('1'), '').catch(() => undefined);
        return end;
      },
    },
    checkpoints: { ...emptyThread, ...(save && { applyBatch: save }) },
    ...inlineParts,
    heads: new HeadCache(),
  };
  const streams = { open: () => undefined, append: () => undefined };
  const events = createRunEvents(streams, attempt);
  const { signal } = new AbortController();
  return performInvocation(parts, attempt, events, signal, () => isShutDown);
}

describe('a run whose checkpoints could not be stored', () => {
  it('has not completed, whatever its guest reports: it fails with the reason', async () => {
    const error = new ServiceError('checkpoint_too_large', 'The checkpoint is too large.');
    const { result } = await perform(completed, { save: () => Promise.reject(error) });
    expect(result).toMatchObject({
      outcome: 'error',
      error: { code: 'checkpoint_too_large', message: 'The checkpoint is too large.' },
    });
    expect(result.output).toBeUndefined();
  });

  it('is restarted where another attempt may succeed', async () => {
    const error = new ServiceError('engine_unavailable', 'The engine is unavailable.');
    const { result } = await perform(completed, { save: () => Promise.reject(error) });
    expect(result).toMatchObject({ outcome: 'infra' });
    expect(result.error?.message).toContain('could not be kept: The engine is unavailable.');
  });
});

describe('a run that was stopped', () => {
  it('is cancelled', async () => {
    expect((await perform({ kind: 'cancelled' })).result).toMatchObject({ outcome: 'cancelled' });
  });

  it('is restarted at the next start when a shutdown stopped it, not a cancel request', async () => {
    const { result } = await perform({ kind: 'cancelled' }, { isShutDown: true });
    expect(result).toMatchObject({ outcome: 'infra' });
  });

  it('has completed when it was faster than the stop', async () => {
    expect((await perform(completed, { isShutDown: true })).result).toMatchObject({
      outcome: 'completed',
      output: toBytes('{"a":1}'),
    });
  });
});
