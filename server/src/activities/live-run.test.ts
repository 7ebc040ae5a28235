import { describe, expect, it, vi } from 'vitest';
import { anAttempt } from '../../test/fixtures/attempts.ts';
import { deferred } from '../../test/fixtures/deferred.ts';
import { LiveRun, type LiveEnd, type Settled } from './live-run.ts';

const GRACE_MS = 1_000;

/** An invocation that ends when the test ends it, or soon after it was asked to stop. */
function live(): {
  run: LiveRun;
  end: () => void;
  stops: string[];
  settled: Settled[];
  gone: () => number;
} {
  const ending = deferred();
  const stops: string[] = [];
  const settled: Settled[] = [];
  let gone = 0;
  const run = new LiveRun(anAttempt(), {
    async invoke(signal, reason): Promise<LiveEnd> {
      signal.addEventListener('abort', () => {
        stops.push(reason() ?? 'none');
        ending.resolve();
      });
      await ending.promise;
      return {
        end: { kind: 'cancelled' },
        result: { outcome: 'cancelled', endedAt: 1, firstSeq: 1, ops: [] },
        settle: (outcome) => settled.push(outcome),
        remember: () => undefined,
      };
    },
    onGone: () => (gone += 1),
    graceMs: GRACE_MS,
  });
  return { run, end: ending.resolve, stops, settled, gone: () => gone };
}

describe('an invocation that is taken over', () => {
  it('is lost to the activity before, and continues', async () => {
    const { run, stops } = live();
    const [first, second] = [run.take(), run.take()];
    await first.lost;
    expect([first.isLost(), second.isLost(), stops]).toEqual([true, false, []]);
    // What the engine reports to the first one now does not affect the invocation.
    run.release(first);
    expect(second.isLost()).toBe(false);
  });

  it('keeps its end for the next activity', async () => {
    const { run, end, settled } = live();
    run.release(run.take());
    end();
    run.take();
    expect((await run.ended).result.outcome).toBe('cancelled');
    expect(settled).toEqual([]);
    run.close();
    await run.ended;
    expect(settled).toEqual([{ isCertain: true }]);
  });

  it('keeps its end also when it was cancelled between two activities', async () => {
    const { run, stops, gone } = live();
    run.release(run.take());
    run.stop('cancel');
    run.take();
    await run.ended;
    expect([stops, gone(), run.isGivenUp]).toEqual([['cancel'], 0, false]);
  });
});

describe('an invocation that no activity takes over', () => {
  it('is stopped and given up after the grace', async () => {
    vi.useFakeTimers();
    try {
      const { run, stops, settled, gone } = live();
      run.release(run.take());
      await vi.advanceTimersByTimeAsync(GRACE_MS - 1);
      expect([stops, run.isGivenUp]).toEqual([[], false]);
      await vi.advanceTimersByTimeAsync(1);
      expect([stops, gone(), run.isGivenUp]).toEqual([['superseded'], 1, true]);
      expect(settled).toMatchObject([{ isCertain: true, error: { code: 'run_fenced' } }]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is not stopped once an activity has taken it over', async () => {
    vi.useFakeTimers();
    try {
      const { run, stops } = live();
      run.release(run.take());
      await vi.advanceTimersByTimeAsync(GRACE_MS - 1);
      run.take();
      await vi.advanceTimersByTimeAsync(GRACE_MS);
      expect(stops).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('waits for no activity when its thread was deleted', async () => {
    const { run, stops, gone } = live();
    const hold = run.take();
    run.stop('thread_deleted');
    await run.ended;
    expect(gone()).toBe(0);
    run.release(hold);
    await run.giveUp();
    expect([stops, gone()]).toEqual([['thread_deleted'], 1]);
  });
});
