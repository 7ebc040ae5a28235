/** What a handmade bundle may contain, member by member. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import {
  bundleText,
  forgedUuid,
  headerLine,
  threadLines,
  type ForgedLine,
} from '../../test/fixtures/forged-bundle.ts';
import { isServiceError } from '../errors/service-error.ts';
import { BUNDLE_PARTS, BUNDLE_WRITES } from '../model/limits/bundle-limits.ts';
import { MADE_BY_LENGTH } from './bundle-record.ts';
import { decodeBundle, type ReadOptions } from './read-bundle.ts';

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** The sentence of the refusal; undefined when all of it was taken. */
async function refusal(
  lines: readonly ForgedLine[],
  options: ReadOptions & { header?: ForgedLine } = {},
): Promise<string | undefined> {
  const { header, ...reading } = options;
  try {
    for await (const _ of decodeBundle(once(bundleText(lines, header)), 'it', reading));
    return undefined;
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'bundle_invalid') throw error;
    return error.message;
  }
}

/** A file whose first line of a kind has other members. */
function changed(kind: string, members: ForgedLine): ForgedLine[] {
  const lines = threadLines('t');
  const at = lines.findIndex((line) => line['kind'] === kind);
  const line = lines[at];
  if (line) lines[at] = { ...line, ...members };
  return lines;
}

/** The run that had not ended. */
function withRequest(members: ForgedLine): ForgedLine[] {
  return threadLines('t').map((line) => {
    const { request } = line;
    return line['run_uuid'] === forgedUuid(4) && request !== undefined
      ? { ...line, request: { ...(request as ForgedLine), ...members } }
      : line;
  });
}

const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
const typed = { tag: 't', base64: '' };
const long = 'x'.repeat(3_000);

it('takes a thread that has everything', async () => {
  expect(await refusal(threadLines('t'))).toBeUndefined();
});

it.each<[string, string, ForgedLine]>([
  ['ids that are paths', 'run', { run_uuid: '../../engine/engine.db' }],
  ['ids that are long', 'run', { run_uuid: long }],
  ['ids of runs in capitals', 'run', { run_uuid: forgedUuid(1).toUpperCase() }],
  ['threads by no id', 'thread', { thread_id: '../x' }],
  ['threads by no text', 'thread', { thread_id: { toString: 1 } }],
  ['a queue of what is no run', 'thread', { queue: ['../x'] }],
  ['an active run that is none', 'thread', { active: '../x' }],
  ['checkpoints by no id', 'checkpoint', { checkpoint_id: '../x' }],
  ['parents by no id', 'checkpoint', { parent_id: 'a/b' }],
  ['namespaces with line ends', 'checkpoint', { ns: 'a\nb' }],
  ['namespaces without end', 'checkpoint', { ns: 'x'.repeat(5_000) }],
  ['checkpoints of no run', 'checkpoint', { run_uuid: 'nobody' }],
  ['versions that are none', 'checkpoint', { versions: { a: '1\n2' } }],
  ['versions by long names', 'checkpoint', { versions: { [long]: '1' } }],
  ['versions in a list', 'checkpoint', { versions: [] }],
  ['values of no version', 'blob', { version: '' }],
  ['agents by half a character', 'run', { agent_id: '\ud800' }],
  ['events of no run', 'event', { run_uuid: 'r' }],
  ['years that no calendar shows', 'thread', { created_at: 2 ** 53 - 1 }],
  ['times before 1970', 'run', { updated_at: -1 }],
  ['times that are no numbers', 'thread', { updated_at: '2026-01-01' }],
  ['dates that are none', 'checkpoint', { ts: 'yesterday' }],
  [
    'a million restarts',
    'run',
    { restart: { maxAttempts: 1_000_000, initialBackoffMs: 0, factor: 1, maxBackoffMs: 0 } },
  ],
  ['attempts without end', 'run', { attempt: 2 ** 40 }],
  ['metadata of threads beyond its limit', 'thread', { metadata: { a: 'x'.repeat(70_000) } }],
  ['metadata of threads that is no text', 'thread', { metadata: { a: 1 } }],
  ['metadata of runs beyond its limit', 'run', { metadata: { a: 'x'.repeat(70_000) } }],
  ['a state that there is not', 'run', { status: 'INJECTED' }],
  ['output that is no JSON', 'run', { output: '1,"status":"INJECTED"' }],
  ['output that is deep', 'run', { output: '['.repeat(5_000) + ']'.repeat(5_000) }],
  ['questions that are none', 'thread', { questions: '[null]' }],
  ['interrupts that are none', 'run', { interrupts: '{"id":"q"}' }],
  ['a context that is no object', 'run', { context: '[]' }],
  ["a run's context with LangGraph's machinery", 'run', { context: '{"__pregel_call":1}' }],
  ["a thread's context with it", 'thread', { context: '{"a":1,"__pregel_runtime":{}}' }],
  ['metadata of checkpoints that is no object', 'checkpoint', { metadata_json: '1' }],
  ['projections that are no JSON', 'blob', { json: '{' }],
  ['events that are no JSON', 'event', { data: '}' }],
  ['bytes that are no base64', 'blob', { value: { tag: 't', base64: 'ab$=' } }],
  ['bytes that are cut', 'checkpoint', { skeleton: { tag: 't', base64: 'gA' } }],
  ['bytes that lie elsewhere', 'blob', { value: { tag: 't', hash: '/dev/zero', size: 1 } }],
  ['metadata that is deep', 'run', { metadata: { a: deep(600) } }],
  ['unknown members', 'thread', { is_open_to_savers: true }],
  ['more than there is', 'thread', { more: { settings: { maxRunHistory: 1e9 } } }],
  ['more of a run than there is', 'run', { more: { output: { hash: '/etc/passwd', size: 1 } } }],
  ['more that is deep', 'run', { more: { a: deep(600) } }],
  ['errors that are long', 'run', { error: { code: 'a', message: 'x'.repeat(100_000) } }],
  ['lines of output that are long', 'log', { text: 'x'.repeat(100_000) }],
  [
    'too many pending writes',
    'checkpoint',
    { writes: Array.from({ length: BUNDLE_WRITES + 1 }, () => typed) },
  ],
  ['writes that are none', 'checkpoint', { writes: [typed] }],
  ['writes in no list', 'checkpoint', { writes: { length: 1 } }],
])('refuses %s', async (_what, kind, members) => {
  const sentence = await refusal(changed(kind, members));
  expect(sentence).toMatch(/^Line \d+ of it is damaged: /);
  expect(sentence?.length).toBeLessThan(400);
});

it.each<[string, ForgedLine]>([
  ['for another run', { runUuid: forgedUuid(9) }],
  ['from a checkpoint that is none', { checkpoint: { ns: '', id: '../x' } }],
  ['with input that is no JSON', { start: { kind: 'input', json: '{"a":1}]' } }],
  ['for more than there is', { savers: true }],
  ["with LangGraph's own machinery", { config: { configurable: { __pregel_send: 1 } } }],
])('refuses a request %s', async (_what, members) => {
  expect(await refusal(withRequest(members))).toMatch(/^Line 6 of it is damaged: /);
});

it('refuses unknown members of the header, and names that are long', async () => {
  for (const members of [
    { extra: 1 },
    { product: { name: long, version: '1' } },
    { contents: 'x' },
    { made_by: 'ada' },
    { made_by: { sub: 'x'.repeat(MADE_BY_LENGTH + 1) } },
    { made_by: { email: 'ada@example.org' } },
  ]) {
    const header = { ...headerLine(), ...members };
    expect(await refusal([], { header })).toMatch(/^Line 1 of it is damaged: /);
  }
});

it('takes a header whose names are as long as they may be, however they are escaped', async () => {
  const name = '\u0007'.repeat(MADE_BY_LENGTH);
  const header = { ...headerLine(), made_by: { sub: name, issuer: name, user: name, host: name } };
  expect(await refusal([], { header })).toBeUndefined();
});

it('shows names of unknown members without letting them write on the terminal', async () => {
  const sentence = await refusal(changed('thread', { '\u001b[2J\u202egpj': 1 }));
  expect(sentence).toMatch(/^[\x20-\x7e]*$/);
});

it('refuses what belongs to no thread, and what occurs twice', async () => {
  const [thread = {}, run = {}, ...rest] = threadLines('t');
  const checkpoint = rest.find(({ kind }) => kind === 'checkpoint') ?? {};
  const blob = rest.find(({ kind }) => kind === 'blob') ?? {};
  expect(await refusal([run, thread])).toMatch(/Line 2 .* before any thread/);
  for (const twice of [run, checkpoint, blob]) {
    expect(await refusal([thread, twice, twice])).toMatch(/Line 4 .* occurs twice/);
  }
  expect(await refusal([thread, thread])).toMatch(/Line 3 .* thread occurs twice/);
});

it('refuses a thread of more runs than threads have', async () => {
  const [thread = {}, run = {}] = threadLines('t');
  const runs = Array.from({ length: BUNDLE_PARTS.run + 1 }, (_, at) => {
    return { ...run, run_uuid: forgedUuid(at) };
  });
  expect(await refusal([thread, ...runs])).toMatch(/at most 5000 lines of the kind "run"/);
  const [first = {}, ...others] = runs;
  expect(await refusal([thread, ...others])).toBeUndefined();
  expect(await refusal([thread, ...others, { ...thread, thread_id: 'u' }, first])).toBeUndefined();
});

it('counts the values in JSON texts, and in one line', async () => {
  const lines = changed('blob', { json: JSON.stringify(Array.from({ length: 1_000 }, () => [])) });
  for (const limit of [{ maxValues: 1_500 }, { maxLineValues: 1_000 }]) {
    const reading = async (): Promise<void> => {
      for await (const _ of decodeBundle(once(bundleText(lines)), 'it', limit));
    };
    await expect(reading()).rejects.toMatchObject({ code: 'payload_too_large' });
  }
});

it('lets others have their turn, however many lines there are', async () => {
  const [thread = {}, run = {}] = threadLines('t');
  const runs = Array.from({ length: BUNDLE_PARTS.run }, (_, at) => {
    return { ...run, run_uuid: forgedUuid(at) };
  });
  let turns = 0;
  let isOver = false;
  const others = (async () => {
    for (; !isOver; turns += 1) await nextTurn();
  })();
  expect(await refusal([thread, ...runs])).toBeUndefined();
  isOver = true;
  await others;
  expect(turns).toBeGreaterThan(3);
});
