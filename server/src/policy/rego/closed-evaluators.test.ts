// A process of its own, for three seconds: V8 reports what it frees only where it is started with flags for that.
// @needs policy
import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const BUILD_MS = 900_000;
const program = fileURLToPath(
  new URL('../../../test/fixtures/closed-evaluators-program.ts', import.meta.url),
);
/** Code is freed as soon as no thread uses it, and each time is printed. */
const flags = ['--stress-wasm-code-gc', '--trace-wasm-code-gc'];

it(
  'keeps the compiled code of threads that have ended: V8 may free it twice',
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, program]);
    // Before that, Node freed the code of its own reader of TypeScript.
    expect(stdout.slice(stdout.indexOf('opened\n'))).toBe('opened\nclosed\n');
  },
  BUILD_MS,
);
