// The rules of the command line are held in this process; what a shell sees (exit codes, signals, its standard input,
// lost output) needs processes, each of which takes a third of a second to start.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeStarter } from '../../test/fixtures/fake-starter.ts';
import { communityKey } from '../license/verify-license.ts';
import { exitCode, exitCodeOf } from './exit-code.ts';
import type { ServiceStarter } from './service-starter.ts';
import { runProgram } from './program.ts';

const launcher = fileURLToPath(new URL('../../bin/service.js', import.meta.url));
const fakeCli = fileURLToPath(new URL('../../test/fixtures/fake-cli.ts', import.meta.url));

let folder: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'cli-')));
  mkdirSync(join(folder, 'agent'));
  writeFileSync(join(folder, 'file.json'), '');
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** A command that runs in its own home, with the community key by default. */
function launch(script: string, argv: string[], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [script, ...argv], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { HOME: folder, SERVICE_LICENSE_KEY: communityKey(), ...environment },
  });
  children.push(child);
  const text = { stdout: '', stderr: '' };
  child.stdout.on('data', (bytes) => (text.stdout += String(bytes)));
  child.stderr.on('data', (bytes) => (text.stderr += String(bytes)));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number, ...text }));
  const shows = async (part: string): Promise<void> => {
    while (!text.stdout.includes(part) && !text.stderr.includes(part)) {
      await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data')]);
    }
  };
  return { child, ended, shows };
}

const service = (argv: string[], environment: Record<string, string> = {}) =>
  launch(launcher, argv, environment).ended;

/** Carries a command out in this process: its exit code, and what it would write or fail with. */
async function command(
  argv: string[],
  start: ServiceStarter = () => Promise.reject(new Error('nothing may start')),
) {
  const out: string[] = [];
  const progress: string[] = [];
  const code = await runProgram(argv, {
    version: '0.0.0',
    environment: { SERVICE_LICENSE_KEY: communityKey() },
    workingDir: folder,
    output: { out: (line) => void out.push(line), progress: (line) => void progress.push(line) },
    start,
    loadArchive: () => Promise.reject(new Error('nothing may move')),
    loadPolicyTools: () => Promise.reject(new Error('no policies')),
    loadImageTools: () => Promise.reject(new Error('not asked for')),
    findMissing: { packages: async () => [], images: async () => undefined },
    nextSteps: () => [],
  }).catch((error: unknown) => {
    progress.push(String(error instanceof Error ? error.message : error));
    return exitCodeOf(error);
  });
  return { code, out: out.join('\n'), progress };
}

const none = ['--sandbox', 'none'];

describe('what ends with exit code 2 and one sentence', () => {
  const spawned: [string, string[], Record<string, string>, RegExp][] = [
    ['an unknown flag', ['serve', 'agent', '--sandbx', 'none'], {}, /unknown option '--sandbx'/],
    ['no key', ['serve', 'agent', ...none], { SERVICE_LICENSE_KEY: '' }, /SERVICE_LICENSE_KEY/],
    ['a wrong key', ['run', 'agent', ...none], { SERVICE_LICENSE_KEY: 'x' }, /The licence key is/],
  ];
  it.each(spawned)('%s', async (_, argv, environment, sentence) => {
    const { code, stdout, stderr } = await service(argv, environment);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^Error: /);
    expect(stderr).toMatch(sentence);
    expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(2);
  });

  const refused: [string, string[], RegExp][] = [
    ['a missing folder', ['serve', 'nowhere', ...none], /no agent folder nowhere/],
    [
      'a file',
      ['serve', 'file.json', ...none],
      /no agent folder file.json. It is a file: name its/,
    ],
    [
      'limits with none',
      ['serve', 'agent', ...none, '--memory', '1Gi'],
      /--memory needs a sandbox/,
    ],
    [
      'a debug option that no debugger has',
      ['serve', 'agent', ...none, '--debug', '--debug-opt', 'speed=1'],
      /--debug-opt: debugpy has no option "speed"; there are wait-for-client, sub-process, log-dir/,
    ],
    ['debugging in a sandbox', ['serve', 'agent', '--debug'], /--debug needs --sandbox none/],
    ['a wrong switch', ['serve', 'agent', '--rootless=maybe'], /--rootless takes true or false/],
    [
      'privileged gVisor',
      ['serve', 'agent', '--rootless=false'],
      /--rootless=false needs --sandbox gvisor/,
    ],
    ['a wrong input', ['run', 'agent', ...none, '--input', 'text'], /--input takes JSON/],
    [
      'a context that is no object',
      ['run', 'agent', ...none, '--context', '["warm"]'],
      /^--context takes a JSON object/,
    ],
    [
      'one standard input for two',
      ['run', 'agent', ...none, '--input', '-', '--context', '-'],
      /^--input and --context cannot both be - /,
    ],
    ['a bundle nowhere', ['run', 'agent', ...none, '--bundle', 'no/a.gz'], /no folder .*no\.$/],
    [
      'credentials for an engine of our own',
      ['serve', 'agent', ...none, '--engine-api-key', 'k'],
      /^--temporal-api-key needs engine\.target/,
    ],
  ];
  it.each(refused)('%s', async (_, argv, sentence) => {
    const { code, out, progress } = await command(argv);
    expect({ code, out, progress }).toEqual({
      code: exitCode.usage,
      out: '',
      progress: [expect.stringMatching(sentence)],
    });
  });
});

describe('config print', () => {
  const print = (...argv: string[]) => ['config', 'print', 'agent', ...none, ...argv];

  it('shows values, where they come from, and no secrets', async () => {
    writeFileSync(join(folder, 'c.yaml'), 'shutdown_timeout: 1h30m\nguest:\n  interpreter: py\n');
    const argv = print('--config', 'c.yaml', '--api-addr', '127.0.0.1:9000', '--json');
    const environment = {
      SERVICE_LICENSE_KEY: 'hidden',
      SERVICE_GUEST_CHECKPOINT_MAX_SIZE: '64Mi',
    };
    const { code, stdout } = await service(argv, environment);
    expect(code).toBe(0);
    expect(stdout).not.toContain('hidden');
    const settings = JSON.parse(stdout) as { key: string }[];
    const row = (key: string) => settings.find((one) => one.key === key);
    expect([
      row('api.listen_addr'),
      row('guest.checkpoint_max_size'),
      row('shutdown_timeout'),
      row('license.key'),
      row('engine.namespace'),
      row('engine.target'),
      row('data_dir'),
    ]).toEqual([
      { key: 'api.listen_addr', value: '127.0.0.1:9000', source: 'flag', from: '--api-addr' },
      {
        key: 'guest.checkpoint_max_size',
        value: '64Mi',
        source: 'environment',
        from: 'SERVICE_GUEST_CHECKPOINT_MAX_SIZE',
      },
      {
        key: 'shutdown_timeout',
        value: '1h30m',
        source: 'file',
        from: `shutdown_timeout in ${join(folder, 'c.yaml')}`,
      },
      {
        key: 'license.key',
        value: '********',
        source: 'environment',
        from: 'SERVICE_LICENSE_KEY',
      },
      { key: 'engine.namespace', value: 'default', source: 'default' },
      { key: 'engine.target', value: null, source: 'default' },
      { key: 'data_dir', value: expect.stringMatching(/agent-[0-9a-f]{12}$/), source: 'default' },
    ]);
  });

  it('is a table for people', async () => {
    const { out } = await command(print('--temporal-namespace', 'mine'));
    expect(out).toMatch(/^engine\.namespace +mine +--temporal-namespace$/m);
    expect(out).toMatch(/^engine\.target +- +default$/m);
    expect(out).toMatch(/^shutdown_timeout +5m +default$/m);
  });

  it('exits 2 with the sentence of serve', async () => {
    const wrong = ['--api-addr', 'nowhere'];
    const printed = await command(print(...wrong));
    expect(printed).toEqual(await command(['serve', 'agent', ...none, ...wrong]));
    expect(printed).toMatchObject({ code: 2, out: '' });
  });
});

it('shows help and version with exit code 0', async () => {
  const help = await service(['serve', '--help']);
  expect(help.code).toBe(0);
  expect(help.stdout).toContain('--api-addr <host:port>');
  expect(await service(['--version'])).toMatchObject({ code: 0, stdout: '0.1.0\n' });
});

describe('serve', () => {
  const argv = ['serve', 'agent', ...none, '--api-addr', '127.0.0.1:0', '--rootless=true'];

  it('shows its steps and the address, drains at SIGTERM and exits 0', async () => {
    const { child, ended, shows } = launch(fakeCli, argv);
    await shows('Ctrl+C stops it.');
    child.kill('SIGTERM');
    const { code, stdout, stderr } = await ended;
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Listening on http:\/\/127\.0\.0\.1:\d+\n$/),
    });
    const lines = stderr.split('\n');
    expect(lines[0]).toBe('Starting the engine');
    expect(lines.slice(lines.indexOf('Ctrl+C stops it.') + 1)).toEqual([
      'Stopping: no new requests are taken.',
      'Waiting for 2 runs to finish; Ctrl+C again to stop at once.',
      'Waiting for 1 run to finish; Ctrl+C again to stop at once.',
      'Stopped.',
      '',
    ]);
  });

  it('ends at once at the second Ctrl+C, and takes an echo of the first for none', async () => {
    const environment = { FAKE_STOP: 'hang', FAKE_ECHO: 'yes' };
    const { child, ended, shows } = launch(fakeCli, argv, environment);
    await shows('Ctrl+C stops it.');
    child.kill('SIGINT');
    await shows('Waiting for 2 runs');
    // The time in which a second signal is npm passing the first one on.
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(child.exitCode).toBeNull();
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(/killed\n$/);
  });

  it('writes progress as log lines where the log is for machines', async () => {
    const { child, ended, shows } = launch(fakeCli, argv, { SERVICE_LOG_FORMAT: 'json' });
    await shows('Listening on');
    child.kill('SIGTERM');
    const { stderr } = await ended;
    const lines = stderr.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)[0]).toMatchObject({
      level: 'info',
      msg: 'progress',
      step: 'Starting the engine',
    });
  });

  it('takes the last --policy, files separated by commas', async () => {
    const flags = ['--policy', 'a.yaml', '--policy', 'b.yaml, /c.yaml'];
    const { progress } = await command([...argv, ...flags], ({ authz: { policyFiles } }) =>
      Promise.reject(new Error(policyFiles.join(' '))),
    );
    expect(progress).toContain(`${join(folder, 'b.yaml')} /c.yaml`);
  });

  it('reads policy files again at SIGHUP, and continues', async () => {
    const { child, ended, shows } = launch(fakeCli, [...argv, '--policy', 'p.yaml']);
    await shows('Ctrl+C stops it.');
    child.kill('SIGHUP');
    await shows('policies reloaded');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
  });

  it('drains at SIGHUP where there are no policy files', async () => {
    const { child, ended, shows } = launch(fakeCli, argv);
    await shows('Ctrl+C stops it.');
    child.kill('SIGHUP');
    const stderr: unknown = expect.not.stringContaining('policies reloaded');
    expect(await ended).toMatchObject({ code: 0, stderr });
  });

  it('continues when its output is not read', async () => {
    const { child, ended, shows } = launch(fakeCli, argv);
    await shows('Starting the engine');
    child.stdout?.destroy();
    child.stderr?.destroy();
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
  });

  it('can be stopped while it starts', async () => {
    const { child, ended, shows } = launch(fakeCli, argv, { FAKE_START: 'hang' });
    await shows('Starting the engine');
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 0, stdout: '' });
  });
});

describe('run', () => {
  const argvOf = (...argv: string[]) => ['run', 'agent', ...none, ...argv];
  const run = (...argv: string[]) => command(argvOf(...argv), fakeStarter());

  it.each([
    ['completed', 0, { answer: 42 }],
    ['interrupted', 3, { __interrupt__: [{ id: 'i', value: 'Sure?' }] }],
  ])('prints the output of a run that is %s and exits %i', async (end, code, output) => {
    const ended = await launch(fakeCli, argvOf('--input', JSON.stringify({ end }))).ended;
    expect(ended.code).toBe(code);
    expect(JSON.parse(ended.stdout)).toEqual(output);
  });

  it('exits 1 when the run failed, with its reason', async () => {
    const { code, out, progress } = await run('--input', '{"end":"error"}');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(progress.at(-1)).toBe('Error: The run ended as error: ValueError: no');
  });

  it('cancels the run at Ctrl+C and exits 130', async () => {
    const { child, ended, shows } = launch(fakeCli, argvOf('--input', '{"end":"never"}'));
    await shows('waiting');
    child.kill('SIGINT');
    const { code, stdout, stderr } = await ended;
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(stderr).toMatch(/cancelled\nkilled\n$/);
  });

  it('exits 4 when the policy denies it', async () => {
    const { ended } = launch(fakeCli, argvOf('--input', '{"end":"denied"}'));
    const { code, stderr } = await ended;
    expect(code).toBe(4);
    expect(stderr).toMatch(/Error: The policy says no\.\n$/);
  });

  it('passes agent, input, context and principal on, over a database that is gone afterwards', async () => {
    const [input, principal] = [join(folder, 'in.json'), join(folder, 'who.json')];
    writeFileSync(input, '{"question":"why"}');
    writeFileSync(principal, '{"sub":"ada","mroles":["r"],"age":3}');
    const context = ['--context', '{"tone":"warm"}'];
    const file = ['--principal-file', principal];
    const argv = ['--agent', 'second', '--input', `@${input}`, ...context, ...file];
    const output = JSON.parse((await run(...argv)).out) as { dataDir: string };
    expect(output).toEqual({
      input: { question: 'why' },
      context: { tone: 'warm' },
      agent_id: 'second',
      principal: { sub: 'ada', mroles: ['r'], age: 3 },
      dataDir: expect.stringContaining('agent-runtime-run-'),
    });
    expect(existsSync(output.dataDir)).toBe(false);
  });

  it('takes an input that is no object', async () => {
    expect(JSON.parse((await run('--input', '"a text"')).out)).toMatchObject({ input: 'a text' });
  });

  it.each(['input', 'context'])('reads the %s from standard input', async (member) => {
    const { child, ended } = launch(fakeCli, argvOf(`--${member}`, '-'));
    child.stdin.end('{"a":1}');
    expect(JSON.parse((await ended).stdout)).toMatchObject({ [member]: { a: 1 } });
  });

  it('reads the context from a file', async () => {
    const file = join(folder, 'context.json');
    writeFileSync(file, '{"tone":"cool"}');
    const { out } = await run('--context', `@${file}`);
    expect(JSON.parse(out)).toMatchObject({ input: {}, context: { tone: 'cool' } });
  });

  it('keeps the data directory it is given', async () => {
    const { out } = await run('--data-dir', 'data');
    expect(JSON.parse(out)).toMatchObject({ dataDir: join(folder, 'data') });
  });

  it('shows the events on the way with --stream', async () => {
    const { code, out, progress } = await run('--stream', '--input', '{"end":"completed"}');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({ answer: 42 });
    expect(progress).toContain('values {"type":"values","data":{}}');
  });

  it('asks for the events of --stream-mode, which needs no --stream', async () => {
    const argv = ['--stream-mode', 'values,tasks,lifecycle', '--input', '{"end":"interrupted"}'];
    const { code, progress } = await run(...argv);
    expect(code).toBe(3);
    const asked = '{"stream_mode":["values","tasks","lifecycle"]}';
    expect(progress).toContain(`values {"type":"values","data":${asked}}`);
  });
});
