/** Agents of both languages call the service through `get_client()` and `new Client()` without a URL. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compatClient } from '../fixtures/compat-client.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

const client = compatClient();

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-clients-'));
});
afterEach(() => rm(folder, { recursive: true }));

const file = (name: string): string => join(folder, name);

describe.each(['py', 'ts'])('an agent (%s)', (language) => {
  async function delegate(input: Record<string, string>) {
    const [own, other] = await Promise.all([client.threads.create(), client.threads.create()]);
    const given = { thread: other.thread_id, agent: `append_${language}`, ...input };
    const asked = { input: given, streamMode: 'custom' as const };
    const events = client.runs.stream(own.thread_id, `delegate_${language}`, asked);
    return { own: own.thread_id, other: other.thread_id, events };
  }

  it('has another one run, sees its events as they come, and what it left', async () => {
    const { own, other, events } = await delegate({ until: file('until') });
    const seen: unknown[] = [];
    for await (const { event, data } of events) {
      if (event !== 'custom') continue;
      seen.push(data);
      // What is held back until the end never comes: the other run waits for this.
      if (seen.length === 2) await writeFile(file('until'), '');
    }
    const names = ['metadata', 'values', 'values'];
    expect(seen).toEqual(names.map((name) => ({ seen: name })));
    expect(await client.threads.getState(own)).toMatchObject({ values: { done: ['delegated'] } });
    expect(await client.threads.getState(other)).toMatchObject({
      values: { done: ['delegated'] },
    });
  });

  it('gives up with its run what it has asked for', async () => {
    const { own, other, events } = await delegate({ until: file('never') });
    for await (const { event } of events) {
      if (event !== 'custom') continue;
      const [run] = await client.runs.list(own);
      await client.runs.cancel(own, run?.run_id ?? '');
      break;
    }
    const left = async () => (await client.runs.list(other))[0]?.status;
    await expect.poll(left, { timeout: 60_000 }).toBe('interrupted');
  });

  it('is refused once its run has ended', async () => {
    const { own, events } = await delegate({ ended: file('ended'), later: file('later') });
    for await (const _ of events);
    expect((await client.runs.list(own))[0]?.status).toBe('success');
    await writeFile(file('ended'), '');
    const response = async (): Promise<string> => readFile(file('later'), 'utf8').catch(() => '');
    await waitUntil('the agent to get the response', 60_000, async () => (await response()) !== '');
    expect(await response()).toMatch(/run .*has ended/);
  });
});
