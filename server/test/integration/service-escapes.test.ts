/**
 * Agents of real services that try to get at this machine's ports, Docker and memory: each kind of sandbox refuses what
 * the same agents do as plain processes. Takes minutes: each kind starts its services.
 * @module-tag release
 * @needs docker, @needs guest-root, @needs runsc
 */
import { chmod, cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';

import { guestLimits } from '../../src/guest/limits.ts';
import { describeWhere } from '../fixtures/describe-where.ts';
import { dockerMissing, startDockerDaemon, type DockerDaemon } from '../fixtures/docker-daemon.ts';
import { testPython, whenHealthy } from '../fixtures/durable-service.ts';
import { listeningPorts } from '../fixtures/listening-ports.ts';
import { makeNetworkWorld, type NetworkWorld } from '../fixtures/network-world.ts';
import { descendants, engineOf } from '../fixtures/process-tree.ts';
import { deedsFolder, runscOfTests } from '../fixtures/sandbox-kinds.ts';
import { awaitRun, createRun, send } from '../fixtures/service-client.ts';
import { servedByDay } from '../fixtures/served-sandboxes.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';

const FLOOD_MIB = 100;
const HEAP = '--max-old-space-size=160';
const MEBIBYTE = 1024 * 1024;
const START_LIMIT_MS = 300_000;
/** All of them are 127.0.0.1, or lead there. */
const loopbacks = [
  ...['127.0.0.1', 'localhost', '127.1', '2130706433', '0x7f000001', '0x7f.1', '017700000001'],
  ...['0', '::ffff:127.0.0.1', '::ffff:7f00:1'],
];
const missing = dockerMissing();
/** Plain processes show what the same agents do otherwise. */
const kinds = [
  { name: 'none', isolates: false, flags: ['--sandbox=none', `--interpreter=${testPython()}`] },
  ...servedByDay.map(({ name, flags, missing, tags }) => {
    return { name, flags, missing, tags, isolates: true };
  }),
];

describeWhere([{ name: 'agents of a service', missing }], () => {
  let folder = '';
  let daemon: DockerDaemon;
  let world: NetworkWorld;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'service-escapes-'));
    await chmod(folder, 0o755);
    await cp(deedsFolder, path.join(folder, 'agents'), { recursive: true });
    [daemon, world] = await Promise.all([startDockerDaemon(), makeNetworkWorld()]);
  }, START_LIMIT_MS);
  afterAll(async () => {
    world.close();
    await daemon.close();
    await rm(folder, { recursive: true, force: true });
  });

  describeWhere(kinds, ({ isolates, flags }) => {
    const services: ServiceProcess[] = [];
    afterEach(async () => {
      await Promise.all(services.splice(0).map((service) => service.stop()));
    });
    const possible = isolates ? 'no' : 'yes';

    async function serve(allow?: string): Promise<ServiceProcess> {
      const log = path.join(folder, 'log');
      const service = await startService({
        agents: path.join(folder, 'agents'),
        flags: [...flags],
        environment: {
          DOCKER_HOST: daemon.host,
          SERVICE_CACHE_DIR: fileURLToPath(new URL('../../../.cache', import.meta.url)),
          SERVICE_GUEST_RUNSC: await runscOfTests(),
          // A proxy of this machine would be the plain processes' way, too.
          ...{ NO_PROXY: '*', no_proxy: '*' },
          ...(isolates && allow !== undefined && { SERVICE_GUEST_EGRESS_ALLOW: allow }),
        },
        // With a heap into which not all fits that agents write; that goes into its log as well, which no user here has to
        // keep in memory.
        under: ['/bin/sh', '-c', `node=$1; shift; exec "$node" ${HEAP} "$@" 2>>${log}`, 'sh'],
      });
      services.push(service);
      await whenHealthy(service.url);
      return service;
    }

    async function did({ url }: ServiceProcess, deed: string, words: readonly string[]) {
      const run = await createRun(url, { agent_id: 'deeds', input: { deed, words } });
      const { status, output, error } = await awaitRun(url, run.run_id, START_LIMIT_MS);
      if (status !== 'completed') throw new Error(JSON.stringify({ status, error }));
      const { result } = output as { result: { did?: unknown; refused?: string } };
      return { ...result, run };
    }

    /** The result for each host: connected, or no route and a proxy that reports why. */
    const each = (hosts: readonly string[], refusal: string): Record<string, unknown> => {
      const no = [expect.not.stringMatching(/^connected$/), expect.stringContaining(refusal)];
      return Object.fromEntries(hosts.map((host) => [host, isolates ? no : ['connected']]));
    };
    const refusals = {
      private: ': it leads to a private, loopback, link-local or reserved address.',
      notListed: ': it is not in guest.egress_allow.',
    };

    it(`connect to the engine, the service, other ports of this machine, and Docker: ${possible}`, async () => {
      const service = await serve();
      const [enginePort] = listeningPorts(engineOf(descendants(service.pid)).pid);
      const [port] = world.ports;
      for (const own of [enginePort, new URL(service.url).port]) {
        const { did: reached } = await did(service, 'reach', [String(own), ...loopbacks]);
        expect(reached).toEqual(each(loopbacks, refusals.private));
      }
      const hosts = [...loopbacks, '::1', ...world.ownAddresses];
      expect((await did(service, 'reach', [String(port), ...hosts])).did).toEqual(
        each(hosts, refusals.private),
      );
      const asked = await did(service, 'ask_daemon', [daemon.host.slice('unix://'.length)]);
      const none = { refused: expect.stringMatching(/No such file|Permission denied/) as string };
      const version = { did: expect.stringContaining('ApiVersion') as string };
      expect(asked).toMatchObject(isolates ? none : version);
    });

    it(`get around a list of hosts by addresses, names, IPv6, datagrams and redirects: ${possible}`, async () => {
      const [listed, other] = world.ports;
      const service = await serve(`${world.allowed},*:${listed},*:80`);
      // The way that is open.
      expect((await did(service, 'fetch', [`http://${world.allowed}/`])).did).toBe('allowed');

      const hosts = ['127.0.0.1', '127.0.0.2', 'localhost', '::1', ...world.ownAddresses];
      expect((await did(service, 'reach', [String(other), ...hosts])).did).toEqual(
        each(hosts, refusals.notListed),
      );
      // The list's `*` covers every name, but no address that is private.
      expect((await did(service, 'reach', [String(listed), ...hosts])).did).toEqual(
        each(hosts, refusals.private),
      );

      const addresses = [
        '127.0.0.1',
        '::1',
        ...world.ownAddresses.filter((one) => /[.:]/.test(one)),
      ];
      const words = [String(world.datagramPort), ...addresses];
      const silence = expect.not.stringContaining(world.secret) as string;
      const heard = isolates ? silence : world.secret;
      expect((await did(service, 'ask_datagrams', words)).did).toEqual(
        Object.fromEntries(addresses.map((address) => [address, heard])),
      );

      const led = async (to: string) => {
        const words = [`http://${world.allowed}/?to=${encodeURIComponent(to)}`];
        const { did: read, refused } = await did(service, 'fetch', words);
        return read ?? refused;
      };
      const refusal = /^403 Agents may not reach .*: it leads to a private/;
      // Python takes localhost for its own, and asks no proxy for it.
      const ways = [
        ...['127.0.0.3', '2130706433', '[::1]', '[::ffff:127.0.0.1]'].map(
          (host) => [host, refusal] as const,
        ),
        ['localhost', /^<urlopen error /] as const,
      ];
      for (const [host, sentence] of ways) {
        const refused = expect.stringMatching(sentence) as string;
        const wanted = isolates ? refused : world.secret;
        expect(await led(`http://${host}:${listed}/`)).toEqual(wanted);
      }
      // As a plain process there is a server only where there is a cloud.
      if (!isolates) return;
      expect(await led('http://169.254.169.254/latest/meta-data/')).toContain(
        `403 Agents may not reach 169.254.169.254:80${refusals.private}`,
      );
      expect(await led('http://169.254.169.254:8080/')).toContain(refusals.notListed);
    });

    it(
      `write ${FLOOD_MIB} MiB: the service does not grow by it, and keeps a part`,
      // The host keeps the output, which is the same for all kinds.
      { timeout: START_LIMIT_MS, ...(isolates && { tags: 'nightly' }) },
      async () => {
        const service = await serve();
        const before = await memoryMiB(service.pid);
        await did(service, 'flood', [String(FLOOD_MIB)]);
        const { run, did: written } = await did(service, 'flood', [String(FLOOD_MIB)]);
        expect(written).toBe(FLOOD_MIB);
        // Twice as much was written. Garbage takes up to the limit of the heap before it is collected.
        expect((await memoryMiB(service.pid)) - before).toBeLessThan(1.5 * FLOOD_MIB);

        const kept = await send<{ lines: { text: string }[]; dropped: number }>(
          service.url,
          'GET',
          `/runs/${run.run_id}/logs?limit=1000`,
        );
        const bytes = kept.lines.reduce((sum, { text }) => sum + text.length, 0);
        expect(bytes).toBeLessThanOrEqual(guestLimits.outputRunBytes);
        expect(bytes).toBeGreaterThan(guestLimits.outputRunBytes / 4);
        // Beyond what it may write in a second lines are dropped unseen, which a metric counts.
        expect(kept.dropped).toBeGreaterThan(0);
        expect(kept.dropped).toBeLessThan((FLOOD_MIB * MEBIBYTE) / 1024 - kept.lines.length);
        const metrics = await (await fetch(`${service.url}/metrics`)).text();
        const [, unseen] =
          /^service_guest_output_dropped_bytes_total\S* (\d+)/m.exec(metrics) ?? [];
        expect(Number(unseen)).toBeGreaterThan(FLOOD_MIB * MEBIBYTE);
        expect((await did(service, 'echo', ['still here'])).did).toEqual(['still here']);
      },
    );
  });
});

/** The most that a process ever had. */
async function memoryMiB(pid: number): Promise<number> {
  const [, kibibytes] =
    /^VmHWM:\s*(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) / 1024;
}
