/** The command line over a real service, in separate processes: what it does to its own engine and guests. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { communityKey } from '../../src/license/verify-license.ts';
import { call, type JsonResponse } from '../fixtures/call.ts';
import { startOnTerminal } from '../fixtures/terminal.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';

const launcher = fileURLToPath(new URL('../../bin/service.js', import.meta.url));
const agents = fileURLToPath(new URL('../fixtures/cli-agents', import.meta.url));

let dataDir: string;
let service: ServiceProcess | undefined;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'cli-test-'));
});
afterEach(async () => {
  await service?.kill();
  service = undefined;
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

async function serve(): Promise<ServiceProcess> {
  return (service = await startService({ agents, dataDir }));
}

async function command(...argv: string[]) {
  return commandWith({}, ...argv);
}

async function commandWith(environment: Record<string, string>, ...argv: string[]) {
  const child = spawn(process.execPath, [launcher, ...argv, '--sandbox', 'none'], {
    env: { ...process.env, SERVICE_LICENSE_KEY: communityKey(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { stdout: '', stderr: '' };
  child.stdout.on('data', (bytes) => (text.stdout += String(bytes)));
  child.stderr.on('data', (bytes) => (text.stderr += String(bytes)));
  const [code] = (await once(child, 'close')) as [number | null]; // what node gives with it
  return { code, ...text };
}

/** The engine and the guests, as the log names them. */
function pidsOf({ output }: Pick<ServiceProcess, 'output'>): number[] {
  return [...output().matchAll(/(?:engine ready|guest is ready).* pid=(\d+)/g)].map((match) =>
    Number(match[1]),
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A run that lasts until there is a file; the response comes when it has ended. */
function nap(url: string, until: string): Promise<Pick<JsonResponse, 'status' | 'body'>> {
  const broken = { status: 0, body: undefined };
  return call(`${url}/runs/wait`, 'POST', { input: { until } }).catch(() => broken);
}

it('lets a run finish at Ctrl+C on a terminal, which reaches engine and guests too, then takes everything down', async () => {
  const command = startOnTerminal(
    [process.execPath, launcher, 'serve', agents, '--sandbox=none', '--api-addr=127.0.0.1:0'],
    {
      cwd: dataDir,
      env: { ...process.env, SERVICE_DATA_DIR: dataDir, SERVICE_LICENSE_KEY: communityKey() },
    },
  );
  try {
    await command.shows('Ctrl+C stops it.');
    const url = /^Listening on (\S+)/m.exec(command.output())?.[1] ?? '';
    const morning = join(dataDir, 'morning');
    const response = nap(url, morning);
    await command.shows('sleeping until');
    const pids = pidsOf(command);
    command.type('\u0003');
    await command.shows('Waiting for 1 run to finish; Ctrl+C again to stop at once.');
    await writeFile(morning, '');
    expect(await response).toMatchObject({
      status: 200,
      body: { status: 'completed', output: { slept: true } },
    });
    expect(await command.ended).toBe(0);
    expect(pids).toHaveLength(2);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(existsSync(join(dataDir, 'instance.json'))).toBe(false);
  } finally {
    await command.close();
  }
});

it('reports which process and address serve a folder already; a run beside it works, as the principal of a file', async () => {
  const running = await serve();
  const second = await command('serve', agents, '--data-dir', dataDir, '--api-addr', ':0');
  expect(second).toMatchObject({ code: 2, stdout: '' });
  expect(second.stderr).toContain(`already served by process ${running.pid} at ${running.url};`);

  // A run beside it works, as the principal of a file, also where clients of serve need TLS and tokens.
  const claims = { sub: 'ada', mroles: ['mrn:iam:role:admin'], team: 'a' };
  const file = join(dataDir, 'who.json');
  await writeFile(file, JSON.stringify(claims));
  const environment = {
    SERVICE_API_TLS_ENABLED: 'true',
    SERVICE_API_TLS_AUTO_CERT: 'true',
    SERVICE_API_AUTH_ENABLED: 'true',
    SERVICE_API_AUTH_OIDC_ISSUER: 'https://issuer.invalid',
    SERVICE_API_AUTH_OIDC_AUDIENCE: 'agents',
  };
  const argv = ['run', agents, '--agent', 'whoami', '--principal-file', file];
  const run = await commandWith(environment, ...argv);
  expect({ code: run.code, output: JSON.parse(run.stdout) as unknown }).toEqual({
    code: 0,
    output: { principal: claims },
  });
  expect(run.stderr).toContain('looking up whom it works for\n');
});

it('names file, entry and reason of a wrong manifest and exits 2', async () => {
  await writeFile(join(dataDir, 'agent.json'), '{"graphs":{"chat":{"path":17}}}');
  const { code, stderr } = await command('serve', dataDir, '--api-addr', '127.0.0.1:0');
  expect(code).toBe(2);
  expect(stderr).toMatch(/^Error: .*agent\.json.*chat/m);
});
