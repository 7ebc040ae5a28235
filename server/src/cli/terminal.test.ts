import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { communityKey } from '../license/verify-license.ts';

const fakeCli = fileURLToPath(new URL('../../test/fixtures/fake-cli.ts', import.meta.url));

/**
 * Runs a command on a terminal of its own (Node has none to give): types each answer once its cue has
 * been shown, and ends with the command's exit code.
 */
const terminalScript = `
import json, os, pty, select, signal, sys, time
command, steps = json.loads(sys.argv[1]), json.loads(sys.argv[2])
pid, terminal = pty.fork()
if pid == 0:
    os.execv(command[0], command)
shown, limit = b"", time.monotonic() + 15
while True:
    if time.monotonic() > limit:
        os.kill(pid, signal.SIGKILL)
        break
    if not select.select([terminal], [], [], 0.1)[0]:
        continue
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece:
        break
    shown += piece
    sys.stdout.buffer.write(piece)
    while steps and steps[0][0].encode() in shown:
        shown = shown.split(steps[0][0].encode(), 1)[1]
        os.write(terminal, steps.pop(0)[1].encode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

let home: string;
beforeEach(() => (home = realpathSync(mkdtempSync(join(tmpdir(), 'terminal-')))));
afterEach(() => rmSync(home, { recursive: true }));

async function onTerminal(argv: string[], steps: [cue: string, typed: string][]) {
  const command = JSON.stringify([process.execPath, fakeCli, ...argv]);
  const child = spawn('python3', ['-c', terminalScript, command, JSON.stringify(steps)], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], HOME: home, TERM: 'dumb' },
  });
  let shown = '';
  child.stdout.on('data', (bytes) => (shown += String(bytes)));
  const [code] = (await once(child, 'close')) as [number];
  return { code, shown };
}

const serve = ['serve', '.', '--sandbox', 'none', '--api-addr', '127.0.0.1:0'];
const stored = () => join(home, '.config', 'agent-runtime', 'license.key');

it('asks for the key once, offers the community key and keeps it for this user only', async () => {
  const first = await onTerminal(serve, [
    ['community key:', '\n'],
    ['Ctrl+C stops it.', '\u0003'],
  ]);
  expect(first.shown).toContain(`Licence key (community) stored in ${stored()}.`);
  expect(first.shown).toContain('Stopped.');
  expect(first.code).toBe(0);
  expect(readFileSync(stored(), 'utf8').trim()).toBe(communityKey());
  expect(statSync(stored()).mode & 0o777).toBe(0o600);

  const second = await onTerminal(serve, [['Ctrl+C stops it.', '\u0003']]);
  expect(second.shown).not.toContain('community key:');
  expect(second.code).toBe(0);
});

it('asks again after a wrong key', async () => {
  const { code, shown } = await onTerminal(serve, [
    ['community key:', 'nonsense\n'],
    ['community key:', `${communityKey()}\n`],
    ['Ctrl+C stops it.', '\u0003'],
  ]);
  expect(shown).toContain('The licence key is not a key of this product');
  expect(code).toBe(0);
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
