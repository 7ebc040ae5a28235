// Puts the pinned commit of a public repository into a folder.
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { PublicAgent } from './catalogue.ts';
import { outputOf } from './command.ts';

export interface CheckoutOptions {
  /** Where checkouts are. */
  readonly into: string;
  /** A folder of clones or bare repositories, to be taken instead of GitHub. */
  readonly from: string | undefined;
}

/** Makes the checkout if it does not exist at that commit, and gives its folder. */
export async function checkOut(agent: PublicAgent, options: CheckoutOptions): Promise<string> {
  const { repository, commit } = agent;
  const folder = path.join(options.into, repository.replace('/', '+'));
  const git = (...words: string[]): Promise<string> => outputOf('git', ['-C', folder, ...words]);
  if (existsSync(path.join(folder, '.git'))) {
    const head = await git('rev-parse', '--quiet', '--verify', 'HEAD').catch(() => '');
    if (head.trim() === commit) return folder;
    await rm(folder, { recursive: true });
  }
  await mkdir(folder, { recursive: true });
  if (options.from === undefined) {
    await git('init', '--quiet');
    const source = `https://github.com/${repository}.git`;
    await git('fetch', '--quiet', '--depth=1', source, commit);
  } else {
    const source = localRepository(options.from, repository);
    await outputOf('git', ['clone', '--quiet', '--shared', '--no-checkout', source, folder]);
  }
  await git('read-tree', commit);
  // A stored copy may lack large files: what exists is taken, and the manifest has to exist.
  await git('checkout-index', '--all', '--force', '--quiet').catch(() => undefined);
  await git('update-ref', '--no-deref', 'HEAD', commit);
  return folder;
}

function localRepository(from: string, repository: string): string {
  const name = repository.slice(repository.indexOf('/') + 1);
  const folders = [repository, repository.replace('/', '+'), name]
    .flatMap((one) => [one, `${one}.git`])
    .map((one) => path.resolve(from, one));
  const found = folders
    .flatMap((folder) => [folder, path.join(folder, 'repo')])
    .find((folder) => ['HEAD', '.git'].some((file) => existsSync(path.join(folder, file))));
  if (found === undefined) throw new Error(`There is no clone of ${repository} in ${from}.`);
  return found;
}
