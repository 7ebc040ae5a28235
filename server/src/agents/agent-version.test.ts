import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { agentVersionOf, createAgentVersion } from './agent-version.ts';

const never = new AbortController().signal;
const own = { usesGit: true };
const aHash = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'agent-version-'));
  await mkdir(path.join(folder, 'agent', 'more'), { recursive: true });
  await write('agent.py', 'graph = 1');
  await write('more/tools.py', 'tool = 1');
});
afterEach(() => rm(folder, { recursive: true }));

const write = (name: string, text: string): Promise<void> =>
  writeFile(path.join(folder, 'agent', name), text);
const version = (): Promise<string> => agentVersionOf([path.join(folder, 'agent')], never, own);

function git(...args: string[]): string {
  const author = [
    '-c',
    'user.name=a',
    '-c',
    'user.email=a@example.com',
    '-c',
    'commit.gpgsign=false',
  ];
  return execFileSync('git', ['-C', folder, ...author, ...args], { encoding: 'utf8' }).trim();
}

describe('without git', () => {
  it('is a hash of names and contents, wherever the folder is', async () => {
    const before = await version();
    expect(before).toEqual(aHash);
    await rename(path.join(folder, 'agent'), path.join(folder, 'other'));
    expect(await agentVersionOf([path.join(folder, 'other')], never, own)).toBe(before);
    await rename(path.join(folder, 'other', 'agent.py'), path.join(folder, 'other', 'agent2.py'));
    expect(await agentVersionOf([path.join(folder, 'other')], never, own)).not.toBe(before);
  });

  it('leaves out what belongs to the machine', async () => {
    const before = await version();
    for (const name of ['node_modules', '.venv', '__pycache__']) {
      await mkdir(path.join(folder, 'agent', name));
      await write(`${name}/x`, 'x');
    }
    await write('.env', 'KEY=1');
    expect(await version()).toBe(before);
    await write('more/tools.py', 'tool = 2');
    expect(await version()).not.toBe(before);
  });
});

describe('of several folders', () => {
  const both = (): Promise<string> =>
    agentVersionOf([path.join(folder, 'agent'), path.join(folder, 'shared')], never, own);

  beforeEach(async () => {
    await mkdir(path.join(folder, 'shared'));
    await write('../shared/tools.py', 'tool = 1');
  });

  it('changes with each of them', async () => {
    const before = await both();
    expect(before).not.toBe(await version());
    await write('../shared/tools.py', 'tool = 2');
    expect(await both()).not.toBe(before);
  });

  it('is the commit only when all of them are as committed', async () => {
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '-m', 'one');
    expect(await both()).toBe(git('rev-parse', 'HEAD'));
    await write('../shared/tools.py', 'tool = 2');
    expect(await version()).toBe(git('rev-parse', 'HEAD'));
    expect(await both()).toEqual(aHash);
  });

  it('changes with a file that is linked', async () => {
    await symlink(path.join(folder, 'shared', 'tools.py'), path.join(folder, 'agent', 'linked.py'));
    const before = await version();
    await write('../shared/tools.py', 'tool = 2');
    expect(await version()).not.toBe(before);
  });
});

describe('in a git repository', () => {
  it('is the commit, unless the folder differs from it', async () => {
    git('init', '--quiet');
    expect(await version()).toEqual(aHash);
    git('add', '.');
    git('commit', '--quiet', '-m', 'one');
    expect(await version()).toBe(git('rev-parse', 'HEAD'));
    await writeFile(path.join(folder, 'elsewhere.txt'), 'x');
    expect(await version()).toBe(git('rev-parse', 'HEAD'));
    await write('agent.py', 'graph = 2');
    expect(await version()).toEqual(aHash);
  });

  it("runs no program of a stranger's repository, which is a hash", async () => {
    git('init', '--quiet');
    await writeFile(path.join(folder, '.gitattributes'), '*.py filter=theirs\n');
    git('add', '.');
    git('commit', '--quiet', '-m', 'one');
    const trace = path.join(folder, 'ran');
    git('config', 'filter.theirs.clean', `touch ${trace}; cat`);
    // Same content, other times: git looks into it, through the filter.
    await write('agent.py', 'graph = 1');
    const agent: [string] = [path.join(folder, 'agent')];
    expect(await agentVersionOf(agent, never, { usesGit: false })).toEqual(aHash);
    expect(existsSync(trace)).toBe(false);
    await version();
    expect(existsSync(trace)).toBe(true);
  });

  it('is a hash when the repository ignores the folder', async () => {
    git('init', '--quiet');
    await writeFile(path.join(folder, '.gitignore'), 'agent\n');
    git('add', '.');
    git('commit', '--quiet', '-m', 'one');
    expect(await version()).toEqual(aHash);
  });
});

describe('a version that is kept', () => {
  it('is another one after the folder has changed, once that is reported', async () => {
    const kept = createAgentVersion([path.join(folder, 'agent')], never, own);
    const before = await kept.current();
    await write('agent.py', 'graph = 2');
    expect(await kept.current()).toBe(before);
    kept.renew([path.join(folder, 'agent')]);
    expect(await kept.current()).toBe(await version());
    expect(await kept.current()).not.toBe(before);
  });

  it('is unknown for a folder that does not exist, and after a stop', async () => {
    const gone = createAgentVersion([path.join(folder, 'gone')], never, own);
    expect(await gone.current()).toBeUndefined();
    const stopped = createAgentVersion([path.join(folder, 'agent')], AbortSignal.abort(), own);
    expect(await stopped.current()).toBeUndefined();
  });
});
