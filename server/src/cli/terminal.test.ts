// What is typed at a terminal reaches its own process, as a shell starts it.
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startOnTerminal } from '../../test/fixtures/terminal.ts';
import { communityKey } from '../license/verify-license.ts';

const fakeCli = fileURLToPath(new URL('../../test/fixtures/fake-cli.ts', import.meta.url));

let home: string;
beforeEach(() => (home = realpathSync(mkdtempSync(join(tmpdir(), 'terminal-')))));
afterEach(() => rmSync(home, { recursive: true }));

async function onTerminal(argv: string[], steps: [cue: string, typed: string][]) {
  const command = startOnTerminal([process.execPath, fakeCli, ...argv], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, TERM: 'dumb' },
  });
  try {
    for (const [cue, typed] of steps) {
      await command.shows(cue);
      command.type(typed);
    }
    return { code: await command.ended, shown: command.output() };
  } finally {
    await command.close();
  }
}

const serve = ['serve', '.', '--sandbox', 'none', '--api-addr', '127.0.0.1:0'];
const stored = () => join(home, '.config', 'agent-runtime', 'license.key');

it('asks for the key once, offers the community key and keeps it for this user only', async () => {
  const first = await onTerminal(serve, [
    ['community key:', 'nonsense\n'],
    ['community key:', '\n'],
    ['Ctrl+C stops it.', '\u0003'],
  ]);
  expect(first.shown).toContain('The licence key is not a key of this product');
  expect(first.shown).toContain(`Licence key (community) stored in ${stored()}.`);
  expect(first.shown).toContain('Stopped.');
  expect(first.code).toBe(0);
  expect(readFileSync(stored(), 'utf8').trim()).toBe(communityKey());
  expect(statSync(stored()).mode & 0o777).toBe(0o600);

  const second = await onTerminal(serve, [['Ctrl+C stops it.', '\u0003']]);
  expect(second.shown).not.toContain('community key:');
  expect(second.code).toBe(0);
});

it.each([
  ['Ctrl+C', '\u0003'],
  ['the end of the input', '\u0004'],
])('ends with exit code 2 when %s is the answer', async (_, typed) => {
  const { code, shown } = await onTerminal(serve, [['community key:', typed]]);
  expect(shown).toContain('Error: A licence key is needed');
  expect(code).toBe(2);
  expect(existsSync(stored())).toBe(false);
});

it('stops when its terminal is closed, also where SIGHUP reloads policies', async () => {
  const argv = [process.execPath, fakeCli, ...serve, '--policy', 'p.yaml'];
  const command = startOnTerminal(argv, {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, SERVICE_LICENSE_KEY: communityKey() },
  });
  await command.shows('Ctrl+C stops it.');
  command.hangUp();
  expect(await command.ended).toBe(0);
});
