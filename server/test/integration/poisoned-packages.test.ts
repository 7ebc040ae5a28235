/**
 * Requirements that do harm while they are installed, with gVisor; with Docker it is in docker-sandbox.test.ts. Takes a
 * minute: packages are installed within the sandbox, at the first start of a service.
 * @module-tag release
 * @needs guest-root, @needs runsc
 */
import { chmod, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { call } from '../fixtures/call.ts';
import { poisonedPackage, type PoisonedPackage } from '../fixtures/poisoned-package.ts';
import { describeWhere } from '../fixtures/describe-where.ts';
import { runscOfTests } from '../fixtures/sandbox-kinds.ts';
import { awaitRun, createRun } from '../fixtures/service-client.ts';
import { servedGvisors } from '../fixtures/served-sandboxes.ts';
import { startService } from '../fixtures/start-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

const LIMIT_MS = 300_000;
const fixture = (name: string): string =>
  fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

describe('a package that looks around while it is installed', () => {
  let folder = '';
  let agents = '';
  let poison: PoisonedPackage;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'poisoned-packages-'));
    await chmod(folder, 0o755);
    agents = path.join(folder, 'agents');
    await cp(fixture('docker-agents'), agents, { recursive: true });
    await cp(fixture('docker-agents-js/more.py'), path.join(agents, 'more.py'));
    const manifest = { dependencies: ['.'], graphs: { poisoned: './more.py:poisoned' } };
    await writeFile(path.join(agents, 'langgraph.json'), JSON.stringify(manifest));
    await writeFile(path.join(agents, 'requirements.txt'), './poisoned-1.0.tar.gz\n');
    poison = await poisonedPackage(agents);
  });
  afterAll(async () => {
    poison.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('reaches all of it as a plain process', async () => {
    expect(await poison.reachesAsPlainProcess()).toEqual([
      ...['a port of this machine', 'the same by HTTP', 'a file of this machine'],
      ...["the agents' folder", "the user's variables"],
    ]);
  });

  describeWhere(servedGvisors, ({ name, flags }) => {
    it(
      'reaches none of it',
      async () => {
        const service = await startService({
          agents,
          flags: [...flags],
          environment: {
            SERVICE_CACHE_DIR: path.join(folder, name.replaceAll(' ', '-')),
            SERVICE_GUEST_RUNSC: await runscOfTests(),
            OF_THE_USER: 'secret',
          },
        });
        try {
          await waitUntil('packages', LIMIT_MS, async () => {
            return (await call(`${service.url}/health`)).status === 200;
          });
          const run = await createRun(service.url, { agent_id: 'poisoned', input: {} });
          expect(await awaitRun(service.url, run.run_id)).toMatchObject({
            status: 'completed',
            output: { out: [] },
          });
        } finally {
          await service.stop();
        }
      },
      LIMIT_MS,
    );
  });
});
