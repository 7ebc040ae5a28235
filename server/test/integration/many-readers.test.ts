/** Many clients on one run: every reader has everything. */
import { createParser } from 'eventsource-parser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDurableService, whenHealthy } from '../fixtures/durable-service.ts';
import { readSse } from '../fixtures/read-sse.ts';
import { createRun, createThread, send } from '../fixtures/service-client.ts';
import type { ServiceProcess } from '../fixtures/start-service.ts';

const LIMIT_MS = 240_000;
const ledger = '/dev/null';

let service: ServiceProcess;
beforeAll(async () => {
  service = await startDurableService();
  await whenHealthy(service.url);
});
afterAll(() => service.stop());

describe('1,000 readers of one run', () => {
  const READERS = 1_000;
  const STEPS = 20;

  it(
    'all get every event up to the last, in order',
    async () => {
      const threadId = await createThread(service.url);
      const steps = (total: number, pause_ms: number) =>
        createRun(
          service.url,
          { agent_id: 'steps_ts', input: { ledger, total, pause_ms } },
          threadId,
        );
      // The run waits behind another one until all its readers are there.
      const blocker = await steps(1, LIMIT_MS);
      const { run_id: runId } = await steps(STEPS, 20);
      const url = `${service.url}/runs/${runId}/stream`;
      const signal = AbortSignal.timeout(LIMIT_MS);
      // In the same instant: each of them needs the thread's run first.
      const open = await Promise.all(Array.from({ length: READERS }, () => fetch(url, { signal })));
      expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]));
      const texts = Promise.all(open.map((response) => response.text()));
      await send(service.url, 'POST', `/runs/${blocker.run_id}/cancel`);

      const { events } = await readSse(url, { timeoutMs: LIMIT_MS });
      const expected = events.map(({ id, event, data }) => ({ id, event, data }));
      expect(expected.filter(({ event }) => event === 'values').length).toBeGreaterThan(STEPS);
      expect(expected.at(-1)).toMatchObject({ event: 'done', data: { status: 'completed' } });
      const ids = expected.map(({ id }) => Number(id));
      expect(ids).toEqual(ids.toSorted((a, b) => a - b));
      // Those who have the same bytes have the same events.
      const different = new Set(
        (await texts).map((text) => text.replaceAll(': heartbeat\n\n', '')),
      );
      expect(different.size).toBe(1);
      for (const text of different) expect(eventsOf(text)).toEqual(expected);
    },
    LIMIT_MS,
  );
});

/** The events of a whole stream. */
function eventsOf(text: string): { id: number | undefined; event: string; data: unknown }[] {
  const events: { id: number | undefined; event: string; data: unknown }[] = [];
  const parser = createParser({
    onEvent: ({ id, event = 'message', data }) => {
      events.push({ id: id === undefined ? undefined : Number(id), event, data: JSON.parse(data) });
    },
  });
  parser.feed(text);
  return events;
}
