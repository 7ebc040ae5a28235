// One tsc per runtime: what a project's tsconfig does not name (Node, DOM) does not exist there.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';

const projects = [
  'server/tsconfig.pure.json',
  'server/tsconfig.workflows.json',
  'server/tsconfig.json',
  'server/guests/js/tsconfig.json',
  'electron/tsconfig.json',
  'renderer/tsconfig.json',
  'examples/tsconfig.json',
  'e2e/tsconfig.json',
  'tsconfig.json',
];

const root = path.resolve(import.meta.dirname, '..');
const tsc = path.join(root, 'node_modules/typescript/bin/tsc');

/** Type-checks one project and returns whether it is clean; errors go to the terminal. */
async function check(project: string): Promise<boolean> {
  const child = spawn(process.execPath, [tsc, '-p', project, '--pretty'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  console.log(`${code === 0 ? '✓' : '✗'} ${project}`);
  if (code !== 0) console.log(output);
  return code === 0;
}

mkdirSync(path.join(root, '.cache/tsc'), { recursive: true });
const waiting = [...projects];
let clean = true;
const lane = async (): Promise<void> => {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (!(await check(next))) clean = false;
  }
};
await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, lane));
process.exitCode = clean ? 0 : 1;
