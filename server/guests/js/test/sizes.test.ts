import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runRequest, startGuest, type GuestProcess } from './guest-process.ts';
import { startMemoryHost, type MemoryHost } from './memory-host.ts';

const limit = 20_000;

describe('with a tiny limit for what is saved', () => {
  let host: MemoryHost;
  let guest: GuestProcess;

  beforeAll(async () => {
    host = await startMemoryHost(limit);
    const agents = { sized: './sized.ts:graph', wait: './wait.ts:graph' };
    guest = await startGuest(host, agents, { maxMessageBytes: limit });
  });
  afterAll(async () => {
    await guest.kill();
    await host.close();
  });

  let runs = 0;
  function request(input: object, agentId = 'sized') {
    runs += 1;
    const inputJson = JSON.stringify(input);
    return runRequest(`t-${runs}`, `r-${runs}`, { agentId, inputJson });
  }

  it('takes what is just below it', async () => {
    // The checkpoint has the text twice, as the serialiser made it and as JSON, and its own parts.
    const { end } = await guest.invoke(request({ write: 9_000 }));
    expect(end).toMatchObject({ status: 'completed', error: null });
  });

  it('ends a run whose checkpoint is just above it, and no other', async () => {
    const neighbour = request({ stubborn: false }, 'wait');
    const waiting = guest.start({ ...neighbour, streamModes: ['custom'] });
    await waiting.chunkSeen(() => true);
    const large = request({ write: 10_000 });
    const { end } = await guest.invoke(large);
    expect(end.error?.code).toBe('checkpoint_too_large');
    expect(end.error?.message).toMatch(
      /^The checkpoint is too large: 2\d{4} bytes, of which channel "blob" takes 2\d{4} bytes; the limit is 20000 bytes\.$/,
    );
    const sent = host.writes.filter(({ token }) => token === large.token);
    expect(sent.length).toBeGreaterThan(0);
    expect(Math.max(...sent.map((write) => JSON.stringify(write).length))).toBeLessThan(3 * limit);

    await guest.cancel(neighbour.token ?? '');
    expect((await waiting.outcome).end.status).toBe('cancelled');
    expect((await guest.invoke(request({ write: 1 }))).end.status).toBe('completed');
  });

  it('names the task whose write is too large, far above the limit too', async () => {
    for (const write of [21_000, 3_000_000]) {
      const { end } = await guest.invoke(request({ write }));
      expect(end.error).toMatchObject({ code: 'checkpoint_too_large' });
      expect(end.error?.message).toMatch(
        /^The pending write of task "grow" is too large: \d+ bytes, of which channel "blob"/,
      );
    }
  });

  it('ends a run that throws a long message as the error that it is', async () => {
    const thrown = request({ message: 5_000_000 });
    const { end } = await guest.invoke(thrown);
    expect(end.error).toMatchObject({ code: 'agent_error', type: 'Error', node: 'grow' });
    expect(end.error?.message).toMatch(/^x{16384}\n\[cut here: 5000000 characters in all\]$/);
    expect(end.error?.traceback).toMatch(/cut here: 5000000 characters in all\]\n +at .*sized\.ts/);
    expect(end.error?.traceback.length).toBeLessThan(70_000);
    const written = host.writes.flatMap((write) =>
      write.token === thrown.token && 'writes' in write ? write.writes.writes : [],
    );
    const error = written.find(({ channel }) => channel === '__error__');
    expect(error?.json).toContain('cut here: 5000000 characters in all]');
    expect(error?.value?.data.byteLength).toBeLessThan(5_000);
  });
});
