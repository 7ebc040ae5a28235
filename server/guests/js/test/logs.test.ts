import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runRequest, startGuest, type GuestProcess } from './guest-process.ts';
import { startMemoryHost, type MemoryHost } from './memory-host.ts';

describe('the output of agents', () => {
  let host: MemoryHost;
  let guest: GuestProcess;

  beforeAll(async () => {
    host = await startMemoryHost();
    guest = await startGuest(host, { talk: './talk.ts:graph' });
  });
  afterAll(async () => {
    await guest.kill();
    await host.close();
  });

  it('carries the id of its run, line by line, whatever runs at the same time', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `run-${index}`);
    await Promise.all(
      names.map((name) =>
        guest.invoke(
          runRequest(`t-${name}`, name, { agentId: 'talk', inputJson: JSON.stringify({ name }) }),
        ),
      ),
    );
    for (const name of names) {
      await guest.logSeen(({ run_id, text }) => run_id === name && text === 'rest');
      const lines = guest.logs.filter(({ run_id }) => run_id === name);
      expect(lines.map(({ stream, text }) => `${stream} ${text}`)).toEqual([
        `stdout ${name} line 1`,
        `stdout ${name} line 2`,
        `stdout ${name} line 3`,
        `stderr ${name} half done`,
        'stderr rest',
      ]);
    }
  });
});
