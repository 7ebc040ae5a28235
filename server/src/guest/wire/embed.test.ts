import { expect, it } from 'vitest';
import { startTestPool } from '../../../test/fixtures/test-pool.ts';
import { GuestPool } from '../pool/guest-pool.ts';
import { guestLimits } from '../limits.ts';

it('reports for an index that no guest can embed for, which language it needs', async () => {
  const silent = () => undefined;
  const pool = new GuestPool({
    agents: [],
    prepare: () => Promise.reject(new Error('no guest is started')),
    size: 1,
    maxMessageBytes: 1_024,
    logger: { debug: silent, info: silent, warn: silent, error: silent },
  });
  pool.start();
  const wish = { embed: './embed.py:f', texts: ['a'], isQuery: false };
  await expect(pool.embed('python', wish, new AbortController().signal)).rejects.toMatchObject({
    code: 'embedding_failed',
    message: expect.stringMatching(/needs python, and no agent has it/),
  });
  await pool.close();
});

it('reports that a guest did not embed in time, and replaces it', async () => {
  const pool = await startTestPool({ limits: { ...guestLimits, embedMs: 200 } });
  try {
    const [pid] = pool.pids();
    const wish = { embed: './embed.ts:f', texts: ['a'], isQuery: false };
    const signal = new AbortController().signal;
    await expect(pool.embed('javascript', wish, signal)).rejects.toMatchObject({
      code: 'embedding_failed',
      message: expect.stringMatching(/did not respond within 0.2 s/),
    });
    await expect.poll(() => pool.pids()).not.toContain(pid);
  } finally {
    await pool.close();
  }
});
