// Installs what an agent folder asks for, as its authors describe it: uv for Python, the package manager of the lock file for JavaScript.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { PublicAgent } from './catalogue.ts';
import { run } from './command.ts';

const STAMP = '.agent-runtime-installed';

/** Makes the environment in the folder, once for each commit; a later call finds it. */
export async function install(agent: PublicAgent, checkout: string, uv: string): Promise<void> {
  const folder = path.join(checkout, agent.folder);
  const wanted = JSON.stringify([agent.commit, agent.install, agent.packages]);
  const stamp = path.join(folder, STAMP);
  if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === wanted) return;
  if (agent.language === 'python') await installPython(folder, agent.install, uv);
  else if (agent.packages.length > 0) await installPackages(folder, agent.packages);
  else await installJavaScript(folder, checkout, agent.install);
  await writeFile(stamp, wanted);
}

async function installPython(folder: string, more: readonly string[], uv: string): Promise<void> {
  const has = (file: string): boolean => existsSync(path.join(folder, file));
  const compiled = '--compile-bytecode';
  if (has('uv.lock')) {
    await run(uv, ['sync', '--quiet', '--no-dev', compiled], { cwd: folder });
  } else {
    await run(uv, ['venv', '--quiet', '--clear', '.venv'], { cwd: folder });
    const what = has('pyproject.toml') ? ['--editable', '.'] : ['-r', 'requirements.txt'];
    if (what[0] === '--editable' || has('requirements.txt')) {
      await run(uv, ['pip', 'install', '--quiet', compiled, ...what], { cwd: folder });
    }
  }
  if (more.length > 0) {
    await run(uv, ['pip', 'install', '--quiet', compiled, ...more], { cwd: folder });
  }
}

async function installJavaScript(
  folder: string,
  checkout: string,
  more: readonly string[],
): Promise<void> {
  // In a workspace the lock file is at the root of the repository.
  const location = [folder, checkout].find((one) => lockOf(one) !== undefined) ?? folder;
  const [command, ...words] = (lockOf(location) ?? npm).words;
  // Scripts of packages download browsers and the like; nothing of that is needed here.
  await run(command, [...words, '--ignore-scripts'], { cwd: location });
  if (more.length > 0) {
    const words = [
      'install',
      '--no-save',
      '--no-package-lock',
      '--legacy-peer-deps',
      '--ignore-scripts',
    ];
    await run('npm', [...words, '--no-audit', '--no-fund', ...more], { cwd: folder });
  }
}

/** Made elsewhere and moved: npm refuses a folder whose manifest names packages of a workspace. */
async function installPackages(folder: string, packages: readonly string[]): Promise<void> {
  const made = path.join(folder, '.agent-runtime-packages');
  await rm(made, { recursive: true, force: true });
  await mkdir(made);
  await writeFile(path.join(made, 'package.json'), '{"private": true}');
  await run('npm', [...npm.words.slice(1), '--ignore-scripts', '--legacy-peer-deps', ...packages], {
    cwd: made,
  });
  await rm(path.join(folder, 'node_modules'), { recursive: true, force: true });
  await rename(path.join(made, 'node_modules'), path.join(folder, 'node_modules'));
  await rm(made, { recursive: true });
}

interface Lock {
  readonly file: string;
  readonly words: readonly [string, ...string[]];
}

const npm: Lock = {
  file: 'package-lock.json',
  words: ['npm', 'install', '--no-audit', '--no-fund'],
};
const locks: readonly Lock[] = [
  { file: 'pnpm-lock.yaml', words: ['npx', '--yes', 'pnpm@10', 'install', '--frozen-lockfile'] },
  {
    file: 'yarn.lock',
    words: ['npx', '--yes', 'yarn@1.22.22', 'install', '--frozen-lockfile', '--ignore-engines'],
  },
  npm,
];

function lockOf(folder: string): Lock | undefined {
  return locks.find(({ file }) => existsSync(path.join(folder, file)));
}

/** The installed versions that decide what an agent can do. */
export function versionsOf(agent: PublicAgent, checkout: string): Record<string, string> {
  const folder = path.join(checkout, agent.folder);
  return agent.language === 'python'
    ? pythonVersions(folder)
    : javaScriptVersions(folder, checkout);
}

function pythonVersions(folder: string): Record<string, string> {
  const site = path.join(folder, '.venv/lib');
  return Object.fromEntries(
    ['langgraph', 'langchain-core'].flatMap((name) => {
      const [version] = distInfo(site, name.replaceAll('-', '_'));
      return version === undefined ? [] : [[name, version]];
    }),
  );
}

function distInfo(site: string, name: string): string[] {
  if (!existsSync(site)) return [];
  const pattern = new RegExp(`^${name}-(.+)\\.dist-info$`);
  return readdirSync(site)
    .flatMap((python) => readdirSync(path.join(site, python, 'site-packages')))
    .flatMap((entry) => pattern.exec(entry)?.[1] ?? []);
}

function javaScriptVersions(folder: string, checkout: string): Record<string, string> {
  return Object.fromEntries(
    ['@langchain/langgraph', '@langchain/core'].flatMap((name) => {
      const file = [folder, checkout]
        .map((location) => path.join(location, 'node_modules', name, 'package.json'))
        .find((one) => existsSync(one));
      if (file === undefined) return [];
      const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string }; // every package has one
      return [[name, version]];
    }),
  );
}
