/**
 * Real services with `--sandbox docker`, on their own daemon: what a user of the option gets.
 * @needs docker, @needs guest-root
 */
import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { chmodSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { call } from '../fixtures/call.ts';
import { describeWhere } from '../fixtures/describe-where.ts';
import {
  dockerMissing,
  GUEST_IMAGE,
  startDockerDaemon,
  type DockerDaemon,
} from '../fixtures/docker-daemon.ts';
import { whenHealthy } from '../fixtures/durable-service.ts';
import { runService } from '../fixtures/run-service.ts';
import { awaitRun, createRun, createThread, getRun, send } from '../fixtures/service-client.ts';
import { poisonedPackage } from '../fixtures/poisoned-package.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

/** `npm test` has one path. */
const release = { tags: ['release'] };
const agents = fileURLToPath(new URL('../fixtures/docker-agents', import.meta.url));
/** The guest's own packages stay from run to run. */
const cacheDir = fileURLToPath(new URL('../../../.cache', import.meta.url));

describeWhere([{ name: 'agents in Docker', missing: dockerMissing() }], () => {
  let daemon: DockerDaemon;
  /** For everything that the tests make. */
  let scratch = '';
  let folder = '';
  const services: ServiceProcess[] = [];

  async function serve(
    flags: string[] = [],
    more: { dataDir?: string; environment?: Record<string, string> } = {},
  ) {
    const service = await startService({
      agents: folder,
      flags: ['--sandbox=docker', `--guest-image=${GUEST_IMAGE}`, ...flags],
      ...more,
      environment: {
        DOCKER_HOST: daemon.host,
        OF_THE_USER: 'secret',
        SERVICE_CACHE_DIR: cacheDir,
        ...more.environment,
      },
    });
    services.push(service);
    await whenHealthy(service.url);
    return service;
  }

  async function result(url: string, agent: string, input: object = {}, threadId?: string) {
    const run = await createRun(url, { agent_id: agent, input }, threadId);
    return await awaitRun(url, run.run_id);
  }

  const stopAll = () => Promise.all(services.splice(0).map((service) => service.stop()));

  beforeAll(async () => {
    daemon = await startDockerDaemon();
    scratch = await mkdtemp(path.join(tmpdir(), 'docker-sandbox-'));
    chmodSync(scratch, 0o755);
    folder = path.join(scratch, 'agents');
    await cp(agents, folder, { recursive: true });
  }, 120_000);

  afterAll(async () => {
    await stopAll();
    await daemon.close();
    await rm(scratch, { recursive: true, force: true });
  });

  it('run over HTTP, are asked and answered, see nothing but what is theirs, and come back after a crash', async () => {
    const { url } = await serve();
    const echoed = await result(url, 'echo', { text: 'there' });
    expect(echoed.output?.['out']).toBe('hello there');
    expect(await send(url, 'GET', `/runs/${echoed.run_id}`)).toMatchObject({
      sandbox: {
        ...{ kind: 'docker', shared: true, limits: { pids: 1_024 } },
        used: {
          memory_bytes: expect.any(Number) as number,
          cpu_seconds: expect.any(Number) as number,
        },
      },
    });
    const info = await send<{ flags: { sandbox: string } }>(url, 'GET', '/info');
    expect(info.flags.sandbox).toBe('docker');

    const thread = await createThread(url);
    expect((await result(url, 'ask', {}, thread)).status).toBe('interrupted');
    const resumed = await createRun(url, { agent_id: 'ask', command: { resume: 'Ada' } }, thread);
    expect((await awaitRun(url, resumed.run_id)).output?.['out']).toBe('Ada');

    // The service itself listens there, as any process of this machine can see.
    const looked = await result(url, 'look', { text: new URL(url).host });
    expect(looked.output?.['out']).toEqual({
      uid: 65_532,
      gid: 65_532,
      groups: [65_532],
      capabilities: '0000000000000000',
      no_new_privileges: '1',
      seccomp: '2',
      writable: ['/tmp', '/dev/shm'],
      interfaces: ['lo'],
      reaches: [],
      docker: [],
      masked: [0, 0, 0],
      devices: [],
      mount: -1,
      unshare: -1,
      first_process: '/sbin/docker-init',
      environment: [
        ...['ALL_PROXY', 'GREETING', 'HOME', 'HTTPS_PROXY', 'HTTP_PROXY', 'LANG'],
        ...['NODE_USE_ENV_PROXY', 'NO_PROXY', 'PATH'],
        ...['all_proxy', 'http_proxy', 'https_proxy', 'no_proxy'],
      ],
      root: expect.not.arrayContaining([path.basename(folder)]) as unknown,
    });

    const died = await result(url, 'die');
    expect(died).toMatchObject({ status: 'error', last_failure: 'CRASH' });
    expect(died.error?.message).toContain('The python guest was killed by SIGKILL.');
    expect((await result(url, 'echo', { text: 'again' })).output?.['out']).toBe('hello again');
    await stopAll();
    expect(await daemon.containers()).toEqual([]);
  });

  it(
    'reach the hosts that they may reach, and no other, which is reported and counted',
    release,
    async () => {
      const server = createServer((_, response) => response.end('hello from the model'));
      // Not 127.0.0.1, which in a guest is its own.
      await once(server.listen(0, '127.0.0.2'), 'listening');
      const { port } = server.address() as AddressInfo; // a TCP listener always has one
      try {
        const environment = { SERVICE_GUEST_EGRESS_ALLOW: `127.0.0.2:${port}` };
        const service = await serve([], { environment });
        const visit = async (text: string) =>
          (await result(service.url, 'visit', { text })).output?.['out'];
        expect(await visit(`http://127.0.0.2:${port}/`)).toBe('hello from the model');
        const refused = '403 Agents may not reach 169.254.169.254:80';
        expect(await visit('http://169.254.169.254/')).toContain(refused);
        const text = await (await fetch(`${service.url}/metrics`)).text();
        expect(text).toMatch(/^service_egress_denied_total\{.*\} 1$/m);
      } finally {
        server.close();
        await stopAll();
      }
    },
  );

  it(
    'end as CRASH with a sentence when they take more memory than --memory, and others continue',
    release,
    async () => {
      const { url } = await serve(['--memory=256Mi', '--cpu=1']);
      const used = await (await fetch(`${url}/metrics`)).text();
      const [, bytes] = /^service_guest_memory_bytes\{language="python"\} (\d+)$/m.exec(used) ?? [];
      expect(Number(bytes)).toBeGreaterThan(20 * 1024 * 1024);
      expect(Number(bytes)).toBeLessThan(256 * 1024 * 1024);
      const waits = await createRun(url, { agent_id: 'wait', input: { text: '0.1' } });
      const hoarded = await result(url, 'hoard');
      expect(hoarded).toMatchObject({ status: 'error', last_failure: 'CRASH' });
      expect(hoarded.error?.message).toContain('ran out of memory (limit 256Mi)');
      expect((await awaitRun(url, waits.run_id)).output?.['out']).toBe('waited');
      await stopAll();
    },
  );

  it(
    'leave no container when the service is killed, and continue at its next start',
    release,
    async () => {
      const dataDir = path.join(scratch, 'killed');
      const service = await serve([], { dataDir });
      const run = await createRun(service.url, { agent_id: 'wait', input: { text: '5' } });
      await untilRunning(service.url, run.run_id);
      await service.kill();
      await waitUntil('no container', 20_000, async () => (await daemon.containers()).length === 0);
      const next = await serve([], { dataDir });
      expect((await awaitRun(next.url, run.run_id)).output?.['out']).toBe('waited');
      await stopAll();
    },
  );

  it(
    'of a service that was killed are removed at the next start, those of one that lives are not',
    release,
    async () => {
      const { url } = await serve();
      const [own] = await daemon.containers();
      // As a killed service would leave one that does not notice: its mark is of a process that is gone.
      const { Config } = await daemon.docker.getContainer(own ?? '').inspect();
      const mark = (Config.Labels['agent-runtime.mark'] ?? '').replace(/^\d+\/[^/]+/, '4194304/1');
      const lost = await daemon.docker.createContainer({
        Image: GUEST_IMAGE,
        Cmd: ['sleep', '600'],
        HostConfig: { NetworkMode: 'none' },
        Labels: { 'agent-runtime.mark': mark },
      });
      await lost.start();
      const other = await serve();
      await waitUntil(
        'the removal',
        20_000,
        async () => !(await daemon.containers()).includes(lost.id),
      );
      expect(await daemon.containers()).toContain(own);
      expect((await result(url, 'echo', { text: 'still' })).output?.['out']).toBe('hello still');
      expect((await result(other.url, 'echo', { text: 'too' })).output?.['out']).toBe('hello too');
      await stopAll();
    },
  );

  it(
    'fail as INFRA while the daemon is unavailable, which /health reports, and run when it is back',
    release,
    async () => {
      const { url } = await serve(['--cpu=2'], {
        environment: { SERVICE_ENGINE_RUN_RESTART_MAX_ATTEMPTS: '20' },
      });
      const run = await createRun(url, { agent_id: 'wait', input: { text: '3' } });
      await untilRunning(url, run.run_id);
      await daemon.kill();
      try {
        const health = await untilFailing(url);
        expect(health).toMatchObject({ components: { guest: { status: 'failing' } } });
        expect(JSON.stringify(health)).not.toContain(folder);
      } finally {
        await daemon.start();
      }
      expect(await awaitRun(url, run.run_id, 120_000)).toMatchObject({
        ...{ status: 'completed', last_failure: 'INFRA' },
        output: { out: 'waited' },
      });
      await stopAll();
      expect(await daemon.containers()).toEqual([]);
    },
  );

  it(
    'get the packages that they ask for, installed within the sandbox, and a run each its own guest',
    { ...release, timeout: 360_000 },
    async () => {
      const own = path.join(scratch, 'with-packages');
      const cache = path.join(scratch, 'cache');
      await cp(agents, own, { recursive: true });
      await cp(fileURLToPath(new URL('../fixtures/docker-agents-js', import.meta.url)), own, {
        recursive: true,
      });
      await writeFile(path.join(own, 'requirements.txt'), '-r more.txt\n');
      await writeFile(path.join(own, 'more.txt'), 'iniconfig==2.1.0\n./poisoned-1.0.tar.gz\n');
      const poison = await poisonedPackage(own);
      const service = await startService({
        agents: own,
        flags: [
          '--sandbox=docker',
          `--guest-image=python=${GUEST_IMAGE},javascript=${GUEST_IMAGE}`,
        ],
        environment: {
          DOCKER_HOST: daemon.host,
          SERVICE_CACHE_DIR: cache,
          SERVICE_GUEST_ISOLATION: 'run',
          OF_THE_USER: 'secret',
        },
      });
      services.push(service);
      await waitUntil(
        'packages',
        280_000,
        async () => (await call(`${service.url}/health`)).status === 200,
      );
      expect((await result(service.url, 'iniconfig')).output?.['out']).toBe(
        '/opt/agent-runtime/packages',
      );
      expect((await result(service.url, 'poisoned')).output?.['out']).toEqual([]);
      expect(await poison.reachesAsPlainProcess()).toEqual([
        ...['a port of this machine', 'the same by HTTP', 'a file of this machine'],
        ...["the agents' folder", "the user's variables"],
      ]);
      poison.close();
      const first = await result(service.url, 'pid_js');
      const second = await result(service.url, 'pid_js');
      expect(first.output?.['container']).not.toBe(second.output?.['container']);
      expect(first.output?.['out']).toBe('from /agent with semver 7.7.2');
      await stopAll();
      expect(await daemon.containers()).toEqual([]);
    },
  );

  it.each([
    [
      'there is no daemon',
      { DOCKER_HOST: 'unix:///nowhere/docker.sock' },
      [],
      /^Error: There is no Docker daemon at \/nowhere\/docker\.sock; start it or install Docker\. Or pass --sandbox none/m,
    ],
    [
      'the daemon is of another machine',
      { DOCKER_HOST: 'ssh://ada@example.org' },
      [],
      /DOCKER_HOST is ssh:\/\/example\.org/,
    ],
    [
      'there is no such context',
      { DOCKER_HOST: '', DOCKER_CONTEXT: 'elsewhere' },
      [],
      /There is no Docker context elsewhere/,
    ],
    [
      'the image is nowhere',
      {},
      ['--guest-image=localhost:1/no-such:1'],
      /The image localhost:1\/no-such:1 is missing and cannot be pulled: .*service image build/,
    ],
    [
      'the images of this version are nowhere',
      {},
      ['--guest-image=javascript=localhost:1/no-such:1'],
      /^the image agent-runtime-guest-python:\S+ cannot be pulled: .+$[^]*^Error: Images are missing: agent-runtime-guest-python:\S+\. Start with --install, or build them: service image build --sandbox docker$/m,
    ],
    [
      'an interpreter is named',
      {},
      ['--interpreter=/usr/bin/python3'],
      /--interpreter needs --sandbox none/,
    ],
  ])(
    'do not start when %s, with one sentence',
    release,
    async (_, environment, flags, sentence) => {
      const words = [
        'serve',
        folder,
        '--sandbox=docker',
        `--data-dir=${path.join(scratch, 'never')}`,
        ...flags,
      ];
      const { code, stderr } = await runService(words, {
        DOCKER_HOST: daemon.host,
        ...environment,
      });
      expect(stderr).toMatch(sentence);
      expect(code).toBe(2);
    },
  );

  it(
    'do not start from a folder that only root may read, nor in an image of another platform',
    release,
    async () => {
      const environment = { DOCKER_HOST: daemon.host };
      const words = ['--sandbox=docker', `--data-dir=${path.join(scratch, 'never')}`];
      const image = `--guest-image=${GUEST_IMAGE}`;
      const closed = path.join(scratch, 'closed');
      await cp(agents, closed, { recursive: true });
      chmodSync(closed, 0o700);
      const unreadable = await runService(['serve', closed, ...words, image], environment);
      expect(unreadable).toMatchObject({ code: 2 });
      expect(unreadable.stderr).toContain('cannot read the agent folder; chmod -R o+rX it');

      const architecture = process.arch === 'arm64' ? 'amd64' : 'arm64';
      await daemon.load('wrong:1', architecture);
      const other = await runService(
        ['serve', folder, ...words, '--guest-image=wrong:1'],
        environment,
      );
      expect(other).toMatchObject({ code: 2 });
      expect(other.stderr).toContain(
        `The image wrong:1 is for linux/${architecture}, and this machine runs`,
      );
    },
  );
});

async function untilRunning(url: string, runId: string): Promise<void> {
  await waitUntil('a run that has begun', 60_000, async () => {
    return (await getRun(url, runId)).status === 'running';
  });
}

/** The report of /health as soon as something fails. */
async function untilFailing(url: string): Promise<unknown> {
  return await waitUntil('a failing guest', 60_000, async () => {
    const { status, body } = await call(`${url}/health`);
    return status === 503 && body;
  });
}
