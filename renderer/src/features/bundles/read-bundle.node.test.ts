import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readBundle } from './read-bundle.ts';
import { valuesAt } from './values-at.ts';

const header = {
  kind: 'header',
  format: 'agent-runtime-bundle',
  version: 1,
  created_at: '2026-11-21T00:00:00Z',
  product: { name: 'agent-runtime', version: '0.2.0' },
  contents: 'run',
};
const body = [
  { kind: 'thread', thread_id: 'demo' },
  { kind: 'run', run_uuid: 'r', agent_id: 'chat', status: 'completed', output: '{"a":1}' },
  { kind: 'checkpoint', ns: '', checkpoint_id: 'c', versions: { a: '2' } },
  { kind: 'blob', ns: '', channel: 'a', version: '1', json: '1' },
  { kind: 'blob', ns: '', channel: 'a', version: '2', json: '2' },
  { kind: 'later', member: 'of a later version' },
  { kind: 'agent', agent_id: 'chat', version: 'abc' },
];

function file(first: object, change: (text: string) => string = (text) => text): File {
  const text = [first, ...body].map((line) => `${JSON.stringify(line)}\n`).join('');
  const sha256 = createHash('sha256').update(text).digest('hex');
  const end = `${JSON.stringify({ kind: 'end', counts: {}, sha256 })}\n`;
  return new File([gzipSync(change(text + end))], 'demo.bundle.jsonl.gz');
}

/** The first bytes of a packed file: random text does not shrink, so that they contain its header. */
async function cutPacking(whole: File): Promise<File> {
  const noise = Array.from({ length: 100_000 }, () => Math.random()).join('');
  const more = `${JSON.stringify({ kind: 'later', noise })}\n`;
  const text = gunzipSync(Buffer.from(await whole.arrayBuffer())).toString();
  const packed = gzipSync(text.replace('{"kind":"thread"', `${more}{"kind":"thread"`));
  return new File([packed.subarray(0, packed.length / 2)], 'demo.bundle.jsonl.gz');
}

describe('a bundle', () => {
  test('is read with its threads and the values at their checkpoints', async () => {
    const bundle = await readBundle(file(header));
    expect(bundle).toMatchObject({
      name: 'demo.bundle.jsonl.gz',
      writtenBy: 'agent-runtime 0.2.0',
      agent: { id: 'chat', version: 'abc' },
      threads: [{ runs: [{ run_uuid: 'r' }], blobs: [{}, {}] }],
    });
    const [thread] = bundle.threads;
    const checkpoint = thread?.checkpoints[0];
    if (thread === undefined || checkpoint === undefined) throw new Error('nothing was read');
    expect(valuesAt(thread, checkpoint)).toEqual({ a: 2 });
  });

  test('has its maker, as far as that is text', async () => {
    const made = { version: 2, made_by: { sub: 'ada', issuer: 1, other: 'x' } };
    const { madeBy } = await readBundle(file({ ...header, ...made }));
    expect(madeBy).toEqual({ sub: 'ada' });
    expect(await readBundle(file(header))).toMatchObject({ madeBy: undefined, problem: undefined });
  });

  test('counts what is in a thread', async () => {
    const [thread] = (await readBundle(file(header))).threads;
    expect(thread).toMatchObject({
      counts: { runs: 1, checkpoints: 1, blobs: 2, events: 0, logs: 0 },
      agents: ['chat'],
    });
    expect(thread?.statuses).toEqual(new Map([['completed', 1]]));
  });

  test.each([
    ['that is cut off', file(header, (text) => text.slice(0, -40)), 'cut off', 1],
    ['that lacks its end', file(header, (text) => text.replace(/.*\n$/, '')), 'last line', 1],
    ['that was changed', file(header, (text) => text.replace('chat', 'chit')), 'checksum', 1],
    ['with a broken line', file(header, (text) => text.replace('{"kind":"run"', '{')), 'Line 3', 1],
    ['that continues', file(header, (text) => `${text}{"kind":"run"}\n`), 'follows its end', 1],
    ['whose packing is cut', cutPacking(file(header)), 'cut off or damaged', 0],
  ])(
    '%s shows what could be read, and why it is not imported',
    async (_name, damaged, why, threads) => {
      const bundle = await readBundle(await damaged);
      expect(bundle.problem).toContain(why);
      expect(bundle.threads.length).toBeGreaterThanOrEqual(threads);
    },
  );

  test.each([
    ['of another kind', file({ ...header, format: 'x' }), 'no bundle'],
    ['of a newer version', file({ ...header, version: 3 }), 'newer version'],
    ['that is not packed', new File(['{}'], 'x'), 'not packed'],
  ])('%s is refused with a message', async (_name, damaged, sentence) => {
    await expect(readBundle(damaged)).rejects.toThrow(sentence);
  });
});
