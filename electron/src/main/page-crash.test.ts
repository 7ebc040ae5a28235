import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import type { Question } from './confirmations.ts';
import { offerReload } from './page-crash.ts';

function open({ isWanted }: { isWanted: boolean }) {
  const seen: { reloads: number; asked: Question[]; logged: unknown[] } = {
    reloads: 0,
    asked: [],
    logged: [],
  };
  const page = Object.assign(new EventEmitter(), { reload: () => void (seen.reloads += 1) });
  offerReload(page, {
    onCrash: (details) => void seen.logged.push(details),
    ask: async (question) => {
      seen.asked.push(question);
      return isWanted;
    },
  });
  return {
    seen,
    end: (reason: string) => page.emit('render-process-gone', {}, { reason, exitCode: 5 }),
  };
}

it('shows why the page has ended, logs it, and reloads it on request', async () => {
  const { seen, end } = open({ isWanted: true });
  end('oom');
  expect(seen.asked).toEqual([
    {
      message: 'The page of this window has ended.',
      detail: 'It ran out of memory. The service and its runs continue.',
      confirm: 'Reload',
    },
  ]);
  expect(seen.logged).toEqual([{ reason: 'oom', exitCode: 5 }]);
  await expect.poll(() => seen.reloads).toBe(1);
});

it('is silent about a page that has ended in order, and reloads nothing unasked', async () => {
  const { seen, end } = open({ isWanted: false });
  end('clean-exit');
  expect(seen.asked).toEqual([]);
  end('crashed');
  expect(seen.asked[0]?.detail).toContain('ended with code 5 (crashed)');
  await Promise.resolve();
  expect(seen.reloads).toBe(0);
});
