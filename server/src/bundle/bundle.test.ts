import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bundleText, threadLines } from '../../test/fixtures/forged-bundle.ts';
import { packFrame, toBytes } from '../model/frame.ts';
import type { ThreadPart } from '../model/thread/thread-part.ts';
import type { BundleRecord } from './bundle-record.ts';
import type { BundleItem } from './decode-line.ts';
import { decodeBundle, readBundleFile, type ReadOptions } from './read-bundle.ts';
import { toPart, toRecord } from './thread-records.ts';
import { encodeBundle, writeBundleFile } from './write-bundle.ts';

const runs = [
  '0197b1a0-0000-7000-8000-000000000001',
  '0197b1a0-0000-7000-8000-000000000002',
] as const;
const everyByte = Uint8Array.from({ length: 256 }, (_, index) => index);
const typed = (bytes: Uint8Array) => ({ tag: 'msgpack', bytes });

/** A number that no double holds, and text beyond ASCII: both must come through as they are. */
const json = toBytes('{"n":12345678901234567890,"t":"žluť 🐎\\u2028"}');

/** What a run was asked for. */
const request = {
  runUuid: runs[0],
  agentId: 'chat',
  start: { kind: 'input', json: '{"a":1e400}' },
  config: { configurable: { a: [1] } },
  metadata: {},
  principal: { sub: 'ada' },
  streamModes: ['values'],
  streamSubgraphs: false,
  interruptBefore: ['*'],
  interruptAfter: [],
  durability: 'async',
};

const parts: ThreadPart[] = [
  {
    kind: 'thread',
    thread: {
      threadId: 't-1',
      isEphemeral: false,
      createdAt: 1_000,
      updatedAt: 2_000,
      metadata: { team: 'a' },
      queue: [runs[1]],
      active: runs[0],
      revision: 7,
      questions: toBytes('[{"id":"q","value":12345678901234567890}]'),
      agentId: 'chat',
      stopped: { code: 'CANPayloadBudgetExceeded', message: 'too large' },
    },
  },
  {
    kind: 'run',
    run: {
      runUuid: runs[0],
      agentId: 'chat',
      status: 'running',
      createdAt: 1_100,
      updatedAt: 1_200,
      metadata: { nested: { deep: [1, null] } },
      attempt: 2,
      seq: 0,
      restart: { maxAttempts: 3, initialBackoffMs: 1_000, factor: 2, maxBackoffMs: 30_000 },
      lastFailure: 'CRASH',
      continuations: 2,
      notBefore: 1_150,
      error: { code: 'agent_error', message: 'no', node: 'n' },
      request: packFrame(request),
      output: json,
      interrupts: toBytes('[]'),
    },
  },
  {
    kind: 'checkpoint',
    checkpoint: {
      ns: 'child:1|grand',
      id: 'c-1',
      parentId: 'c-0',
      ts: '2026-01-01T00:00:00Z',
      skeleton: typed(everyByte),
      metadata: typed(new Uint8Array(0)),
      metadataJson: json,
      versions: { messages: '1.5' },
      run: runs[0],
      writes: [
        { taskId: 't', taskPath: '~p', index: -1, channel: '__error__', value: typed(everyByte) },
        { taskId: 't', taskPath: '', index: 0, channel: 'c', value: typed(everyByte), json },
      ],
    },
  },
  {
    kind: 'blob',
    blob: { ns: '', channel: 'a b\tc', version: '2', value: typed(everyByte), json },
  },
];

const others: BundleRecord[] = [
  { kind: 'agent', agent_id: 'chat', version: 'abc' },
  {
    kind: 'event',
    run_uuid: runs[0],
    id: 3,
    mode: 'values',
    ns: '',
    data: '{"n":12345678901234567890}',
  },
  { kind: 'gap', run_uuid: runs[0], lost_through: 2 },
  { kind: 'log', run_uuid: runs[0], at: 5, stream: 'stderr', text: 'hello' },
];

async function* records(extra: BundleRecord[] = []): AsyncGenerator<BundleRecord> {
  for (const part of parts) yield toRecord(part);
  yield* others;
  yield* extra;
}

async function encoded(extra?: BundleRecord[]): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const madeBy = { sub: 'ada', issuer: 'https://id.example' };
  const given = records(extra);
  const bundle = {
    contents: 'threads',
    productVersion: '1.2.3',
    madeBy,
    records: given,
  } as const;
  for await (const chunk of encodeBundle(bundle, () => new Date(0))) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}

async function decoded(bytes: Uint8Array, options?: ReadOptions, size = 64): Promise<BundleItem[]> {
  const items: BundleItem[] = [];
  for await (const item of decodeBundle(inPieces(bytes, size), 'b.gz', options)) items.push(item);
  return items;
}

function refusal(bytes: Uint8Array, options?: ReadOptions): Promise<unknown> {
  return decoded(bytes, options).then(
    () => 'taken',
    (error: unknown) => error,
  );
}

const invalid = (sentence: RegExp): unknown =>
  expect.objectContaining({ code: 'bundle_invalid', message: expect.stringMatching(sentence) });

describe('a bundle', () => {
  let whole: Buffer;
  let lines: string[];
  beforeAll(async () => {
    whole = await encoded();
    lines = whole.toString().split('\n');
  });
  const changed = (change: (lines: string[]) => void): Buffer => {
    const copy = [...lines];
    change(copy);
    return Buffer.from(copy.join('\n'));
  };

  it.each([1, 7, 1_000_000])('comes back as it was, in pieces of %i bytes', async (size) => {
    const items = await decoded(whole, {}, size);
    expect(items[0]).toMatchObject({
      kind: 'header',
      header: {
        version: 2,
        contents: 'threads',
        product: { version: '1.2.3' },
        made_by: { sub: 'ada', issuer: 'https://id.example' },
      },
    });
    const read = items.flatMap((item) => (item.kind === 'record' ? [item.record] : []));
    expect(read.map(toPart).filter((part) => part !== undefined)).toEqual(parts);
    expect(read.slice(parts.length)).toEqual(others);
  });

  it('is recognised as cut, wherever it is cut', async () => {
    for (let length = 0; length < whole.byteLength - 1; length += 1) {
      const error = await refusal(whole.subarray(0, length));
      expect(error, `cut at ${length}`).toEqual(invalid(/^b\.gz is cut off/));
    }
    // Only the last line end is missing: everything is present.
    expect(await refusal(whole.subarray(0, -1))).toBe('taken');
    const cut = whole.subarray(0, Buffer.byteLength(lines.slice(0, 3).join('\n')) + 10);
    expect(await refusal(cut)).toEqual(invalid(/^b\.gz is cut off after line 3\.$/));
  });

  it('names the line that is damaged', async () => {
    const cases: [(copy: string[]) => void, RegExp][] = [
      [(copy) => (copy[2] = copy[2]?.replace('"', '') ?? ''), /^Line 3 of b\.gz .* not JSON/],
      [(copy) => (copy[2] = '[]'), /^Line 3 of b\.gz .* not an object/],
      [(copy) => (copy[2] = '{}'), /^Line 3 of b\.gz .* no kind/],
      [(copy) => (copy[3] = '{"kind":"checkpoint","ns":1}'), /^Line 4 of b\.gz .* ns: /],
      [(copy) => copy.splice(3, 1), /do not fit its checksum/],
      [(copy) => (copy[1] = copy[1]?.replace('"a"', '"b"') ?? ''), /do not fit its checksum/],
      [(copy) => copy.push('{"kind":"run"}'), /nothing may follow the end/],
    ];
    for (const [change, sentence] of cases) {
      expect(await refusal(changed(change))).toEqual(invalid(sentence));
    }
    const noText = Buffer.from(whole);
    noText[whole.indexOf('"team"') + 2] = 0xff;
    expect(await refusal(noText)).toEqual(invalid(/^Line 2 of b\.gz .* not JSON/));
  });

  it('of a newer version, or something else, is refused with one sentence', async () => {
    const newer = changed(
      (copy) => (copy[0] = copy[0]?.replace('"version":2', '"version":3') ?? ''),
    );
    expect(await refusal(newer)).toEqual(
      invalid(/bundle of version 3.*reads up to version 2: update it/),
    );
    for (const text of ['hello\n', '{"kind":"header","format":"other"}\n', '[1]\n', '\n']) {
      expect(await refusal(Buffer.from(text))).toEqual(invalid(/no bundle of Agent Runtime/));
    }
  });

  it('of version 1, which does not name who made it, is read', async () => {
    const file = Buffer.from(bundleText(threadLines('t')));
    const [header, ...records] = await decoded(file);
    expect(header).toMatchObject({ header: { version: 1 } });
    expect(header).not.toHaveProperty('header.made_by');
    expect(records).toHaveLength(threadLines('t').length);
  });

  it('may hold kinds that this version does not know: they are left out, with one warning', async () => {
    const future = { kind: 'picture', is: 'new' } as unknown as BundleRecord; // a later version's
    const warnings: string[] = [];
    const items = await decoded(await encoded([future, future]), {
      onWarning: (sentence) => warnings.push(sentence),
    });
    expect(items).toHaveLength(1 + parts.length + others.length);
    expect(warnings).toEqual([expect.stringContaining('kind "picture"')]);
  });

  it('has lines of any length up to the limit', async () => {
    const long: BundleRecord = {
      kind: 'event',
      run_uuid: runs[0],
      id: 4,
      mode: 'values',
      ns: '',
      data: `"${'x'.repeat(3_000_000)}"`,
    };
    const bytes = await encoded([long]);
    const items: BundleItem[] = [];
    for await (const item of decodeBundle(inPieces(bytes, 65_536), 'b')) items.push(item);
    expect(items.at(-1)).toMatchObject({ record: long });
    const tooLong = decoded(bytes, { maxLineBytes: 1_000_000 }, 65_536);
    await expect(tooLong).rejects.toEqual(invalid(/^b\.gz: Line 10 is longer than 1000000 bytes/));
  });

  it('is not gathered for a first line that is no header', async () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield Buffer.alloc(65_536, ' ');
    }
    const reading = decodeBundle(endless(), 'b.gz').next();
    await expect(reading).rejects.toEqual(invalid(/^b\.gz: Line 1 is longer than 65536 bytes/));
  });

  it('has as many values as are allowed, which are counted before a line is parsed', async () => {
    const many = { kind: 'picture', of: Array.from({ length: 1_000 }, () => []) };
    const bytes = await encoded([many as unknown as BundleRecord]); // a later version's
    expect(await decoded(bytes, { maxValues: 10_000 })).toHaveLength(
      1 + parts.length + others.length,
    );
    const tooMany = decoded(bytes, { maxValues: 1_500 });
    await expect(tooMany).rejects.toMatchObject({ code: 'payload_too_large' });
  });
});

describe('a bundle file', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bundle-'));
    return () => rm(folder, { recursive: true });
  });
  const bundle = (source: AsyncIterable<BundleRecord>) =>
    ({ contents: 'threads', productVersion: '1.0.0', records: source }) as const;
  async function readAll(path: string, options?: ReadOptions): Promise<BundleItem[]> {
    const items: BundleItem[] = [];
    for await (const item of readBundleFile(path, options)) items.push(item);
    return items;
  }

  it('is ordinary gzip of ordinary lines, replaced as a whole', async () => {
    const path = join(folder, 'a.bundle.jsonl.gz');
    await writeFile(path, 'the one before');
    const bytes = await writeBundleFile(path, bundle(records()));
    expect(await readdir(folder)).toEqual(['a.bundle.jsonl.gz']);
    const file = await readFile(path);
    expect(bytes).toBe(file.byteLength);
    const text = await new Response(
      new Blob([file]).stream().pipeThrough(new DecompressionStream('gzip')),
    ).text();
    expect(text).toBe(gunzipSync(file).toString());
    expect(await readAll(path)).toHaveLength(1 + parts.length + others.length);
  });

  it('does not exist when what fills it fails or is stopped', async () => {
    const path = join(folder, 'a.bundle.jsonl.gz');
    async function* failing(): AsyncGenerator<BundleRecord> {
      yield* records();
      throw new Error('lost the engine');
    }
    await expect(writeBundleFile(path, bundle(failing()))).rejects.toThrow('lost the engine');
    const stop = new AbortController();
    async function* stopped(): AsyncGenerator<BundleRecord> {
      yield* records();
      stop.abort();
      yield* records();
    }
    const writing = writeBundleFile(path, bundle(stopped()), { signal: stop.signal });
    await expect(writing).rejects.toThrow('abort');
    expect(await readdir(folder)).toEqual([]);
    await expect(writeBundleFile(join(folder, 'no', 'a.gz'), bundle(records()))).rejects.toEqual(
      expect.objectContaining({ code: 'config_invalid', message: expect.stringMatching(/ENOENT/) }),
    );
  });

  it('that is cut, damaged, missing or no gzip has its own error', async () => {
    const path = join(folder, 'a.gz');
    await writeBundleFile(path, bundle(records()));
    const file = await readFile(path);
    for (const length of [5, 40, file.byteLength >> 1, file.byteLength - 9, file.byteLength - 1]) {
      await writeFile(path, file.subarray(0, length));
      await expect(readAll(path)).rejects.toEqual(invalid(/a\.gz is cut off/));
    }
    const damaged = Buffer.from(file);
    damaged.fill(0xff, file.byteLength >> 1, (file.byteLength >> 1) + 8);
    await writeFile(path, damaged);
    await expect(readAll(path)).rejects.toEqual(invalid(/damaged|no bundle/));
    await writeFile(path, 'plain text');
    await expect(readAll(path)).rejects.toEqual(invalid(/is no bundle/));
    await writeFile(path, gzipSync('plain text\n'));
    await expect(readAll(path)).rejects.toEqual(invalid(/is no bundle/));
    await expect(readAll(join(folder, 'nothing.gz'))).rejects.toEqual(
      expect.objectContaining({ code: 'config_invalid' }),
    );
  });
});
