// What must hold before every push, beside the tests. Runs every step, so that one look shows all that is wrong.
// `--no-units` leaves the unit tests to the `npm test` that follows, as in CI.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { interpreterOf } from './python-env.ts';
import { pythonFolder, root } from './suites.ts';

interface Step {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Its output must be empty: `gofmt -l` names files and succeeds all the same. */
  readonly mustBeSilent?: boolean;
}

const npm = (name: string): Step => ({ name, command: 'npm', args: ['run', '--silent', name] });
const ruff = (name: string, ...words: string[]): Step => {
  const folders = ['server/guests/python', 'examples', 'server/test'];
  return { name, command: interpreterOf(pythonFolder), args: ['-m', 'ruff', ...words, ...folders] };
};

const units = process.argv.includes('--no-units') ? [] : [npm('test:unit')];
/** Long ones first. */
const steps: readonly Step[] = [
  ...units,
  npm('typecheck'),
  npm('lint'),
  npm('lint:dead'),
  npm('lint:layers'),
  npm('format:check'),
  npm('generate:check'),
  ruff('ruff check', 'check', '--quiet'),
  ruff('ruff format', 'format', '--check', '--quiet'),
  { name: 'gofmt', command: 'gofmt', args: ['-l', 'server/native'], mustBeSilent: true },
];

/** Runs one step, shows its output when it fails, and returns whether it succeeded. */
async function run({ name, command, args, mustBeSilent }: Step): Promise<boolean> {
  const begun = performance.now();
  const child = spawn(command, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      output += `${command} cannot be started: ${error.message}\n`;
      resolve(127);
    });
    child.once('close', resolve);
  });
  const isGood = code === 0 && (mustBeSilent !== true || output === '');
  console.log(
    `${isGood ? '✓' : '✗'} ${name}  ${((performance.now() - begun) / 1000).toFixed(1)} s`,
  );
  if (!isGood) console.log(output);
  return isGood;
}

// The environment of the tests has ruff.
const prepared = await run({
  name: 'python environment',
  command: process.execPath,
  args: ['scripts/prepare-python.ts', 'tests'],
});
const failed: string[] = prepared ? [] : ['python environment'];
const waiting = [...steps];
const lane = async (): Promise<void> => {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
    if (!(await run(step))) failed.push(step.name);
  }
};
await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, lane));
console.log(failed.length === 0 ? '\ncheck passed' : `\ncheck failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
