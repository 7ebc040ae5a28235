/** What users see of a file before they import it. */
import { expect, it } from 'vitest';
import {
  bundleText,
  headerLine,
  threadLines,
  type ForgedLine,
} from '../../test/fixtures/forged-bundle.ts';
import { readOverview } from './bundle-overview.ts';
import { makerText, overviewLines, type ImportManner } from './overview-text.ts';
import { printable } from './lines.ts';
import { decodeBundle } from './read-bundle.ts';

async function overviewOf(
  lines: ForgedLine[],
  members: ForgedLine = {},
  { threadId, ...manner }: ImportManner & { threadId?: string } = {},
): Promise<string[]> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(bundleText(lines, { ...headerLine(), version: 2, ...members }));
  }
  return [...overviewLines(await readOverview(decodeBundle(chunks(), 'it'), threadId), manner)];
}

const both = [...threadLines('one'), ...threadLines('two')];

it('shows who made it, what is in it and what importing does', async () => {
  expect(await overviewOf(threadLines('one'), { made_by: { user: 'ada', host: 'desk' } })).toEqual([
    'According to the file, it was made by the user "ada" on the machine "desk" on 2026-01-01T00:00:00.000Z, with agent-runtime 0.0.0; this is not verified.',
    '',
    '1 thread:',
    '  one: 5 runs (1 completed, 1 error, 1 interrupted, 2 running), 3 checkpoints, agents "echo", created 1970-01-01T00:00:01.000Z, owner "admin"',
    '',
    'What importing does:',
    '  - The 2 runs that had not ended will be cancelled; what was saved stays.',
    '  - Threads and runs keep their ids; a thread whose id is taken is left out.',
    '  - Threads keep the owner that the file names. What runs on them later runs as the caller who starts it.',
    '  - The code of agents is not in the file. To continue, its threads need these here: "echo".',
    '  - Stored values become objects of known types only (guest.allowed_types); everything else stays data.',
    '  - Its texts, such as prompts and messages, go to models and tools when a thread is continued: import only files from people you trust.',
  ]);
});

it('states when the file names no maker', async () => {
  expect((await overviewOf([]))[0]).toMatch(
    /^The file does not name who made it\. .*; this is not verified\.$/,
  );
  expect(makerText({})).toBeUndefined();
});

it('describes the chosen thread alone, and what becomes of it under another id', async () => {
  const lines = await overviewOf(both, {}, { threadId: 'two', as: 'three', resumeAs: 'ada' });
  expect(lines.filter((line) => line.includes('one:'))).toEqual([]);
  expect(lines).toContain(
    '  - The 2 runs that had not ended will be cancelled; what was saved stays.',
  );
  expect(lines).toContain('  - The thread gets the id three, and its runs get new ids.');
});

it('names for whom runs continue', async () => {
  const lines = await overviewOf(both, {}, { resumeAs: 'ada' });
  expect(lines).toContain(
    '  - The 4 runs that had not ended will continue at the next start of the service, as "ada".',
  );
});

it('shows values of the file as text, and not all of a long one', async () => {
  const sub = `\u001b]0;x\u0007\u202e${'a'.repeat(1_000)}`;
  const [origin = ''] = await overviewOf([], { made_by: { sub, issuer: 'https://id.example\n' } });
  expect(origin).toContain('"\\u{1b}]0;x\\u{7}\\u{202e}aaa');
  expect(origin).toContain('…" of the issuer "https://id.example\\u{a}"');
  expect(origin.length).toBeLessThan(600);
});

it.each([
  ['names of people', 'Ada žluť 🐎 Δ', 'Ada žluť 🐎 Δ'],
  ['ends of lines', 'a\r\n\u2028', 'a\\u{d}\\u{a}\\u{2028}'],
  ['text that runs the other way', '\u2066a\u200f', '\\u{2066}a\\u{200f}'],
  ['halves of characters', '\ud800', '\\u{d800}'],
])('prints %s', (_what, text, printed) => {
  expect(printable(text)).toBe(printed);
});
