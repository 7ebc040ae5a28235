import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { plainStore } from '../model/store/store-settings.ts';
import { readStore } from './manifest-store.ts';

let directory: string;
let warnings: string[];
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'manifest-store-'));
  await writeFile(join(directory, 'embed.py'), '');
  await writeFile(join(directory, 'embed.ts'), '');
});
afterAll(() => rm(directory, { recursive: true }));

function read(store: unknown, languages: ('python' | 'javascript')[] = ['javascript', 'python']) {
  warnings = [];
  const warn = (sentence: string) => void warnings.push(sentence);
  return readStore(
    store,
    { file: 'agent.json', directory, sourceFolders: [], isClosed: false, warn },
    languages,
  );
}

it.each([undefined, null, {}, { index: null, ttl: null }])('is nothing special: %j', (store) => {
  expect(read(store)).toEqual(plainStore);
});

it('has an index and times', () => {
  const index = { dims: 3, embed: './embed.py:embed', fields: ['a', 'b[*].c'] };
  const ttl = { default_ttl: 1.5, refresh_on_read: false, sweep_interval_minutes: 10 };
  expect(read({ index, ttl })).toEqual({
    index: { ...index, language: 'python' },
    ttl: { defaultMinutes: 1.5, refreshOnRead: false, sweepMinutes: 10 },
  });
  expect(read({ index: { dims: 3, embed: './embed.py:embed' } }).index?.fields).toEqual(['$']);
});

it('is embedded by the language of the file, a model by Python where there is some', () => {
  const language = (embed: string, languages?: ('python' | 'javascript')[]) =>
    read({ index: { dims: 3, embed } }, languages).index?.language;
  expect(language('./embed.ts:embed')).toBe('javascript');
  expect(language('openai:text-embedding-3-small')).toBe('python');
  expect(language('openai:text-embedding-3-small', ['javascript'])).toBe('javascript');
});

it('names what is not used', () => {
  read({ path: './store.py:store', other: 1 });
  expect(warnings).toEqual([
    'agent.json: store.path is not used: agents get the store of the service',
    'agent.json: store.other is not used: unknown key',
  ]);
});

const embed = './embed.py:embed';
it.each([
  [[], 'store: it is not an object.'],
  [{ index: 1 }, 'store.index: it is not an object.'],
  [{ index: { embed } }, 'store.index.dims: it is not an integer from 1 to 16000.'],
  [{ index: { embed, dims: 1.5 } }, 'store.index.dims: it is not an integer from 1 to 16000.'],
  [{ index: { dims: 3 } }, 'store.index.embed: it is not a text such as'],
  [{ index: { dims: 3, embed: 'model' } }, '"model" names neither a provider nor a file.'],
  [{ index: { dims: 3, embed: './gone.py:f' } }, 'there is no file "./gone.py".'],
  [{ index: { dims: 3, embed, fields: [] } }, 'store.index.fields: it is not a list of 1 to 64'],
  [{ index: { dims: 3, embed, fields: [1] } }, 'store.index.fields: it is not a list of 1 to 64'],
  [{ ttl: 5 }, 'store.ttl: it is not an object.'],
  [{ ttl: { default_ttl: 0 } }, 'store.ttl.default_ttl: it is not a number of minutes'],
  [{ ttl: { refresh_on_read: 1 } }, 'store.ttl.refresh_on_read: it is neither true nor false.'],
  [{ ttl: { sweep_interval_minutes: 'x' } }, 'store.ttl.sweep_interval_minutes: it is not'],
])('is refused with the key: %j', (store, sentence) => {
  expect(() => read(store)).toThrow(sentence);
});
