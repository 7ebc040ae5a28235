// A copy of the sources that can be spoiled: a git worktree with the packages and caches of this one.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { root } from '../suites.ts';
import type { Mutation } from './mutation.ts';

/** What is made from sources that no mutation touches, or by content. */
const caches = ['native', 'python-libs', 'guest-protobuf', 'workflows', 'contract'];

export interface Tree {
  readonly folder: string;
  /** Every file of the commit. */
  readonly files: readonly string[];
  /** Removes it. */
  close(): void;
}

const trees = path.join(root, '.cache/mutations');

/** Checks a commit out beside the caches. What killed runs left there is removed first. */
export function openTree(commit: string): Tree {
  const id = run('git', ['rev-parse', '--short', `${commit}^{commit}`]).trim();
  const folder = path.join(trees, `${id}-${process.pid}`);
  mkdirSync(trees, { recursive: true });
  for (const name of readdirSync(trees)) if (isLeft(name)) remove(path.join(trees, name));
  run('git', ['worktree', 'add', '--detach', folder, id]);
  const packages = globSync(['node_modules', '*/node_modules', 'server/guests/js/node_modules'], {
    cwd: root,
  });
  const kept = caches.map((name) => `.cache/${name}`);
  for (const name of [...packages, ...kept]) copy(name, folder);
  const files = run('git', ['-C', folder, 'ls-files']).trim().split('\n');
  return { folder, files, close: () => remove(folder) };
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  run('git', ['worktree', 'prune']);
}

/** True for the tree of a process that is gone. */
function isLeft(name: string): boolean {
  const [, pid] = /-(\d+)$/.exec(name) ?? [];
  if (pid === undefined) return false;
  try {
    return !process.kill(Number(pid), 0);
  } catch {
    return true;
  }
}

/** Hard links where the file system has them: the packages are some hundred megabytes. */
function copy(name: string, folder: string): void {
  const source = path.join(root, name);
  if (!existsSync(source)) return;
  const target = path.join(folder, name);
  mkdirSync(path.dirname(target), { recursive: true });
  // Not a symbolic link: the workspaces' packages in it would lead back to these sources.
  run('cp', process.platform === 'linux' ? ['-al', source, target] : ['-R', source, target]);
}

/** Makes the mistake; returns how to undo it. Throws unless the old text occurs exactly once. */
export function applyTo(folder: string, mutation: Mutation): () => void {
  const file = path.join(folder, mutation.file);
  const before = readFileSync(file, 'utf8');
  writeFileSync(file, mutated(before, mutation));
  return () => writeFileSync(file, before);
}

/** The text with the mistake in it. */
export function mutated(text: string, { name, file, from, to }: Mutation): string {
  const times = text.split(from).length - 1;
  if (times !== 1) throw new Error(`${name}: its text occurs ${times} times in ${file}.`);
  return text.replace(from, () => to);
}

function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
  return stdout;
}
