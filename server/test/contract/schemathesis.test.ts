/** @module-tag release */
// @needs engine, @needs python, @needs contract
// Thousands of generated requests to a separate service, which they leave full of their threads.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startExamples } from '../fixtures/start-examples.ts';

const settings = fileURLToPath(new URL('schemathesis.toml', import.meta.url));
const hooks = fileURLToPath(new URL('schemathesis_hooks.py', import.meta.url));
const LIMIT_MS = 400_000;
const FEWEST_CASES = 2_000;

/** Always the same requests, unless `SCHEMATHESIS_SEED` asks for others. */
const seed = process.env['SCHEMATHESIS_SEED'] ?? '3';

let service: { url: string; stop(): Promise<void> };
beforeAll(async () => {
  service = await startExamples();
});
afterAll(() => service.stop());

it(
  'responds to generated requests as its document defines: no 5xx, no undocumented status, the documented bodies',
  async () => {
    const { code, output } = await schemathesis([
      ...['--config-file', settings, '--no-color', 'run', `${service.url}/openapi.json`],
      ...['--max-examples', '25', '--seed', seed, '--request-timeout', '30'],
      ...['--continue-on-failure', '--no-shrink'],
    ]);
    if (code !== 0) throw new Error(`There are findings:\n${output}`);
    const [, cases] = /(\d+) generated/.exec(output) ?? [];
    expect(Number(cases)).toBeGreaterThanOrEqual(FEWEST_CASES);
  },
  LIMIT_MS,
);

function schemathesis(words: readonly string[]): Promise<{ code: number | null; output: string }> {
  const program = process.env['SCHEMATHESIS'];
  if (program === undefined) {
    throw new Error('SCHEMATHESIS names no program: run `npm run test:contract`.');
  }
  return new Promise((resolve) => {
    const env = { ...process.env, SCHEMATHESIS_HOOKS: hooks };
    const options = { timeout: LIMIT_MS, maxBuffer: 64 * 1024 * 1024, env };
    const child = execFile(program, words, options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, output: stdout + stderr }),
    );
  });
}
