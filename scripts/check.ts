// What must hold before every push, the same as in CI. Runs every step, so that one look shows all that is wrong.
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const steps = ['format:check', 'lint', 'lint:layers', 'typecheck', 'generate:check', 'test:unit'];

const root = path.resolve(import.meta.dirname, '..');

/** Runs one npm script and answers whether it succeeded. */
function run(step: string): boolean {
  console.log(`\n── ${step}`);
  const { status } = spawnSync('npm', ['run', '--silent', step], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  return status === 0;
}

const failed = steps.filter((step) => !run(step));
console.log(failed.length === 0 ? '\ncheck passed' : `\ncheck failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
