/** Every ceiling that holds when nothing is set: just below it works, just above is the documented error. */
import { describe, expect, it } from 'vitest';
import { call } from '../fixtures/call.ts';
import {
  aRefusal,
  ceilings,
  endBelow,
  goAbove,
  OVERHEAD,
  rejections,
} from '../fixtures/ceilings.ts';
import { readValues, runToEnd } from '../fixtures/limits-service.ts';
import { createThread } from '../fixtures/service-client.ts';
import { releaseUnless, sharedService } from '../fixtures/shared-service.ts';

const KIB = 1_024;
/** What 0, the default of `engine.max_checkpoint_bytes`, means. */
const M = 1_024 * KIB;
const url = sharedService();

describe.each(['py', 'ts'])('%s', (language) => {
  // `npm test` has each ceiling in one language, in turns.
  for (const [index, ceiling] of ceilings.entries()) {
    const options = releaseUnless((language === 'py') === (index % 2 === 0));
    const one = { url, language, m: M };

    it(`${ceiling.name}: works just below`, options, async () => {
      expect(await endBelow(ceiling, one)).toEqual(['completed', undefined]);
    });

    it(`${ceiling.name}: refused just above`, options, async () => {
      expect(await goAbove(ceiling, one)).toMatchObject(aRefusal(ceiling, M));
    });
  }

  it(
    'POST state: works just below, and above it is 413',
    releaseUnless(language === 'py'),
    async () => {
      const before = await rejections(url, 'state_update', 'update_state');
      const threadId = await createThread(url);
      const small = { agent_id: `heap_${language}`, input: { size_a: 3, size_b: 3 } };
      await runToEnd(url, small, threadId);
      const post = (values: Record<string, unknown>): ReturnType<typeof call> =>
        call(`${url}/threads/${threadId}/state`, 'POST', values);
      expect((await post({ a: 'y'.repeat(M - 2 * OVERHEAD) })).status).toBe(200);
      const message = expect.stringContaining(`the limit is ${M} bytes`) as string;
      const tooLarge = { code: 'checkpoint_too_large', message };
      // With the rest of the checkpoint, and by itself.
      for (const size of [M - 64, M]) {
        const { status, body } = await post({ a: 'z'.repeat(size) });
        expect([status, body]).toMatchObject([413, tooLarge]);
      }
      const { a } = await readValues(url, threadId);
      expect(a).toBe('y'.repeat(M - 2 * OVERHEAD));
      expect(await rejections(url, 'state_update', 'update_state')).toBe(before + 1);
      expect(await runToEnd(url, small, threadId)).toMatchObject({ status: 'completed' });
    },
  );

  it(
    'an exception of any length ends its run as itself, with a bounded message',
    releaseUnless(language === 'ts'),
    async () => {
      const body = { agent_id: `failing_${language}`, input: { size: 5_000_000 } };
      const { status, error } = await runToEnd(url, body);
      expect([status, error?.code]).toEqual(['error', 'agent_error']);
      expect(error?.message).toMatch(/^.*nono/);
      expect(JSON.stringify(error).length).toBeLessThan(200 * KIB);
    },
  );
});
