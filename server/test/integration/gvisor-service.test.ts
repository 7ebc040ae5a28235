/**
 * The README's session with `--sandbox gvisor`, rootless, at night also privileged: whole services of the examples. Takes a
 * minute; at the first time the examples' packages are installed in the sandbox.
 * @module-tag release
 * @needs guest-root, @needs runsc
 */
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { describeWhere } from '../fixtures/describe-where.ts';
import { startLocalServer, type LocalServer } from '../fixtures/local-server.ts';
import { servedGvisors } from '../fixtures/served-sandboxes.ts';
import {
  awaitRun,
  createRun,
  createThread,
  send,
  type RunResponse,
} from '../fixtures/service-client.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';
import { call } from '../fixtures/call.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

const examples = fileURLToPath(new URL('../../../examples', import.meta.url));
const network = fileURLToPath(new URL('../fixtures/network-agents/network.py', import.meta.url));
/** Packages stay from run to run. */
const cacheDir = fileURLToPath(new URL('../../../.cache', import.meta.url));
const START_LIMIT_MS = 300_000;

/** The examples, with an agent that looks at the network. */
function makeAgents(folder: string): void {
  chmodSync(folder, 0o755);
  const filter = (name: string): boolean => !/node_modules|\.venv|__pycache__/.test(name);
  cpSync(examples, folder, { recursive: true, filter });
  cpSync(network, path.join(folder, 'network.py'));
  const file = path.join(folder, 'agent.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { graphs: object };
  const graphs = { ...manifest.graphs, network: './network.py:graph' };
  writeFileSync(file, JSON.stringify({ ...manifest, graphs }));
}

describeWhere(servedGvisors, (kind) => {
  let folder = '';
  let server: LocalServer;
  let service: ServiceProcess;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'gvisor-service-'));
    makeAgents(folder);
    server = await startLocalServer('hello from this machine');
    const { environment } = await kind.setUp();
    service = await startService({
      agents: folder,
      flags: [...kind.flags],
      environment: {
        ...environment,
        SERVICE_CACHE_DIR: cacheDir,
        SERVICE_GUEST_EGRESS_ALLOW: server.address,
      },
    });
    const isHealthy = async (): Promise<boolean> =>
      (await call(`${service.url}/health`)).status === 200;
    await waitUntil('a healthy service with packages', START_LIMIT_MS, isHealthy);
  }, START_LIMIT_MS);
  afterAll(async () => {
    await service.stop();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function run(body: Record<string, unknown>, thread?: string): Promise<RunResponse> {
    const { url } = service;
    const { run_id } = await createRun(url, body, thread);
    return await awaitRun(url, run_id);
  }

  const messageOf = (content: string): object => ({ messages: [{ role: 'user', content }] });

  it('chat remembers the conversation', async () => {
    const thread = await createThread(service.url);
    await run({ agent_id: 'chat', input: messageOf('Hello') }, thread);
    const { output } = await run({ agent_id: 'chat', input: messageOf('Again') }, thread);
    expect(output?.['messages']).toMatchObject([
      { type: 'human', content: 'Hello' },
      { type: 'ai' },
      { type: 'human', content: 'Again' },
      { type: 'ai' },
    ]);
  });

  it('triage, in TypeScript, sorts a ticket', async () => {
    const input = { ticket: 'My invoice is wrong: I was billed twice.' };
    const triaged = await run({ agent_id: 'triage', input });
    expect(triaged).toMatchObject({
      status: 'completed',
      output: { log: [expect.stringContaining('classified as ') as string, expect.anything()] },
    });
  });

  it('approval asks, and continues with the answer', async () => {
    const thread = await createThread(service.url);
    const input = { order: 'A-17', amount: 250 };
    const asked = await run({ agent_id: 'approval', input }, thread);
    expect(asked).toMatchObject({
      status: 'interrupted',
      output: { __interrupt__: [{ value: { question: 'Refund 250.00 for order A-17?' } }] },
    });
    const command = { resume: { approved: true, by: 'Ada' } };
    const answered = await run({ agent_id: 'approval', command }, thread);
    expect(answered).toMatchObject({
      status: 'completed',
      output: { approved_by: 'Ada', result: 'Refunded 250.00 for order A-17.' },
    });
    const { sandbox } = await send<RunResponse>(service.url, 'GET', `/runs/${answered.run_id}`);
    expect(sandbox).toMatchObject({ kind: 'gvisor', shared: true });
  });

  it('an agent reaches what it may through the proxy', async () => {
    const input = { url: `http://${server.address}/` };
    const { output } = await run({ agent_id: 'network', input });
    expect(output?.['out']).toMatchObject({ fetched: 'hello from this machine' });
  });
});
