/**
 * What agents in a sandbox reach of the network, through whole services, with each setting of `guest.network`; and how such
 * a service stops. Takes a minute or two: each setting needs its own service in each sandbox.
 * @module-tag release
 * @needs guest-root
 */
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';

import { describeWhere } from '../fixtures/describe-where.ts';
import { whenHealthy } from '../fixtures/durable-service.ts';
import { startLocalServer, type LocalServer } from '../fixtures/local-server.ts';
import { servedSandboxes, type SandboxNeeds } from '../fixtures/served-sandboxes.ts';
import { awaitRun, createRun, send, type RunResponse } from '../fixtures/service-client.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

const agents = fileURLToPath(new URL('../fixtures/network-agents', import.meta.url));
/** The guest's own packages stay from run to run. */
const cacheDir = fileURLToPath(new URL('../../../.cache', import.meta.url));
const SOON_MS = 60_000;

let folder = '';
let server: LocalServer;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'sandbox-network-'));
  chmodSync(folder, 0o755);
  cpSync(agents, path.join(folder, 'agents'), { recursive: true });
  server = await startLocalServer('hello from this machine');
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

describeWhere(servedSandboxes, (kind) => {
  let needs: SandboxNeeds;
  let service: ServiceProcess | undefined;
  beforeAll(async () => {
    needs = await kind.setUp();
  });
  afterEach(async () => {
    await service?.stop();
  });
  afterAll(async () => {
    await needs.close();
  });

  async function serve(environment: Record<string, string>): Promise<ServiceProcess> {
    service = await startService({
      agents: path.join(folder, 'agents'),
      flags: [...kind.flags],
      environment: { SERVICE_CACHE_DIR: cacheDir, ...needs.environment, ...environment },
    });
    await whenHealthy(service.url);
    return service;
  }

  async function look({ url }: ServiceProcess, address: string): Promise<RunResponse> {
    const input = { url: `http://${address}/` };
    const run = await createRun(url, { agent_id: 'network', input });
    return await awaitRun(url, run.run_id);
  }

  it.each([
    ['nothing', 'none', { interfaces: 1, fetched: 'not reached', dialled: 'not reached' }],
    [
      'all that this machine reaches',
      'host',
      { fetched: 'hello from this machine', dialled: 'connected' },
    ],
  ])('reach %s with guest.network %s', async (_, mode, expected) => {
    const { output } = await look(await serve({ SERVICE_GUEST_NETWORK: mode }), server.address);
    expect(output?.['out']).toMatchObject({ proxy: null, ...expected });
  });

  it('reach by default what guest.egress_allow names, through the proxy alone; the rest is logged with the run and counted', async () => {
    const started = await serve({
      SERVICE_GUEST_EGRESS_ALLOW: server.address,
      SERVICE_LOG_FORMAT: 'json',
    });
    expect((await look(started, server.address)).output?.['out']).toEqual({
      interfaces: 1,
      proxy: 'http://127.0.0.1:3128',
      fetched: 'hello from this machine',
      dialled: 'not reached',
    });
    const denied = await look(started, '169.254.169.254:80');
    expect(denied.output?.['out']).toMatchObject({
      fetched: expect.stringContaining('403 Agents may not reach 169.254.169.254:80') as string,
      dialled: 'not reached',
    });
    const line = await waitUntil('the line of the log', SOON_MS, () =>
      started
        .output()
        .split('\n')
        .find((one) => one.includes('agent network access refused')),
    );
    expect(JSON.parse(line)).toMatchObject({
      ...{ host: '169.254.169.254', port: 80, reason: 'not_allowed', run_ids: [denied.run_id] },
    });
    const metrics = await (await fetch(`${started.url}/metrics`)).text();
    expect(metrics).toMatch(/^service_egress_denied_total\{reason="not_allowed"\} 1$/m);
  });

  it('finish their runs when the service is stopped', async () => {
    const { url, stop } = await serve({ SERVICE_GUEST_NETWORK: 'none' });
    const run = await createRun(url, { agent_id: 'rest', input: { seconds: 3 } });
    const finished = awaitRun(url, run.run_id);
    await waitUntil('its line', SOON_MS, async () => {
      const { lines } = await send<{ lines: unknown[] }>(url, 'GET', `/runs/${run.run_id}/logs`);
      return lines.length > 0;
    });
    expect(await stop()).toBe(0);
    expect(await finished).toMatchObject({ status: 'completed', output: { out: 'rested' } });
  });
});
