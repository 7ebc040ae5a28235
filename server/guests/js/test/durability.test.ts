import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runRequest, startGuest, type GuestProcess } from './guest-process.ts';
import { startMemoryHost, type MemoryHost } from './memory-host.ts';

describe('checkpoints on their way to the host', () => {
  let host: MemoryHost;
  let guest: GuestProcess;
  const agents = {
    twoSteps: './two-steps.ts:graph',
    large: './large.ts:graph',
    noop: './noop.ts:graph',
    rounds: './rounds.ts:graph',
  };

  beforeAll(async () => {
    host = await startMemoryHost();
    guest = await startGuest(host, agents, { maxMessageBytes: 100_000 });
  });
  afterAll(async () => {
    await guest.kill();
    await host.close();
  });

  const writesOf = (token: string | undefined) =>
    host.writes.filter((write) => write.token === token);

  it('are numbered from 1, and never wait for an acknowledgement by default', async () => {
    const request = runRequest('t-async', 'r-async', {
      agentId: 'twoSteps',
      inputJson: '{"count":0}',
    });
    const { end } = await guest.invoke(request);
    const writes = writesOf(request.token);
    expect(writes.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(writes.every(({ sync }) => !sync)).toBe(true);
    expect(end.lastSeq).toBe(7);
  });

  it('carry only the channels that are new, with their JSON for those of the state', async () => {
    const [, afterStart] = host.checkpoints.history('t-async');
    const saves = writesOf('token-r-async-1').flatMap((write) =>
      'save' in write ? [write.save] : [],
    );
    expect(saves.map(({ blobs }) => blobs.map(({ channel, json }) => [channel, json]))).toEqual([
      [['__start__', undefined]],
      [
        ['count', '0'],
        ['branch:to:one', undefined],
      ],
      [
        ['count', '1'],
        ['branch:to:two', undefined],
      ],
      [['count', '2']],
    ]);
    expect(afterStart?.channelVersions.map(({ channel }) => channel)).toEqual([
      'count',
      'branch:to:one',
    ]);
  });

  it('stay before the writes that belong to them when the host is slow to take them', async () => {
    const release = host.holdWrites();
    const request = runRequest('t-slow', 'r-slow', {
      agentId: 'rounds',
      inputJson: '{"rounds":23,"size":40000}',
      streamModes: ['updates'],
    });
    const running = guest.start(request);
    await running.chunkSeen(({ json }) => json.includes('"round":21'));
    release();
    expect((await running.outcome).end.status).toBe('completed');
    const saved = new Set<string>();
    const early = new Map<string, number>();
    let most = 0;
    for (const write of writesOf(request.token)) {
      if ('save' in write) {
        saved.add(write.save.checkpointId);
        early.delete(write.save.checkpointId);
      } else if (!saved.has(write.writes.checkpointId)) {
        early.set(write.writes.checkpointId, 1);
      }
      most = Math.max(most, early.size);
    }
    expect(most).toBeLessThanOrEqual(1);
  });

  it('with durability sync, hold the next step until they are acknowledged', async () => {
    const release = host.holdAcks();
    const request = runRequest('t-sync', 'r-sync', {
      agentId: 'twoSteps',
      inputJson: '{"count":10}',
      durability: 'sync',
    });
    const running = guest.start(request);
    // The input's checkpoint, the writes of __start__ and the checkpoint of step 0 are on their way ...
    await host.until(request.token ?? '', 2);
    // ... and a whole run fits in meanwhile: a step that did not wait would be over by then.
    const beside = { agentId: 'twoSteps', inputJson: '{"count":20}', durability: 'async' };
    await guest.invoke(runRequest('t-beside', 'r-beside', beside));
    await guest.logSeen(({ text }) => text === 'add to 21');
    expect(guest.logs.some(({ text }) => text === 'add to 10')).toBe(false);
    release();
    const { end } = await running.outcome;
    expect(end).toMatchObject({ status: 'completed', outputJson: '{"count":12}' });
    expect(writesOf(request.token).every(({ sync }) => sync)).toBe(true);
  });

  it('with durability exit, are written once at the end', async () => {
    const request = runRequest('t-exit', 'r-exit', {
      agentId: 'twoSteps',
      inputJson: '{"count":0}',
      durability: 'exit',
    });
    const { end } = await guest.invoke(request);
    expect(end.outputJson).toBe('{"count":2}');
    expect(host.checkpoints.history('t-exit')).toHaveLength(1);
  });

  it('end the run with the reason when the host refuses one', async () => {
    host.refuse({ code: 'run_fenced', message: 'Another attempt has taken over.' });
    const request = { agentId: 'twoSteps', inputJson: '{"count":0}', durability: 'sync' };
    const { end } = await guest.invoke(runRequest('t-fenced', 'r-fenced', request));
    host.refuse(undefined);
    expect(end).toMatchObject({
      status: 'error',
      error: { code: 'run_fenced', message: 'Another attempt has taken over.' },
    });
  });

  it('end the run as well when an event is too large for a message', async () => {
    const inputJson = '{"size":1,"event":120000}';
    const request = { agentId: 'large', inputJson, streamModes: ['custom'] };
    const { end } = await guest.invoke(runRequest('t-event', 'r-event', request));
    expect(end.error).toMatchObject({ code: 'payload_too_large' });
    expect(end.error?.message).toContain('a custom event has 120');
  });

  it('never leave when they are too large: the run ends and names the channel', async () => {
    const request = runRequest('t-large', 'r-large', {
      agentId: 'large',
      inputJson: '{"size":200000}',
    });
    const { end } = await guest.invoke(request);
    expect(end.error).toMatchObject({ code: 'checkpoint_too_large' });
    expect(end.error?.message).toMatch(
      /channel "blob" takes 20\d{4} bytes; the limit is 100000 bytes/,
    );
    const lengths = writesOf(request.token).map((write) => JSON.stringify(write).length);
    expect(lengths.length).toBeGreaterThan(0);
    expect(Math.max(...lengths)).toBeLessThan(100_000);
  });
});
