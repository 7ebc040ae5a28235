/**
 * An engine that takes less than usual: the service follows it, and what cannot be read any more is reported so. An engine of
 * its own, which is restarted with lower limits.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { provisionEngine } from '../../src/engine/server/provision.ts';
import { type EngineServer, startEngineServer } from '../../src/engine/server/supervise.ts';
import { SEARCH_ATTRIBUTES } from '../../src/engine/client/search-attributes.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { call } from '../fixtures/call.ts';
import { targetFlags } from '../fixtures/lab-engine.ts';
import {
  limitsAgents,
  readCounters,
  runToEnd,
  startLimitsService,
} from '../fixtures/limits-service.ts';
import { createThread } from '../fixtures/service-client.ts';
import { releaseUnless } from '../fixtures/shared-service.ts';
import { type ServiceProcess, spawnService } from '../fixtures/start-service.ts';

const checkout = fileURLToPath(new URL('../../..', import.meta.url));
const LOW_BYTES = 256 * 1_024;

let folder: string;
let engine: EngineServer;
let service: ServiceProcess;
let largeThread: string;

async function startEngine(dynamicConfig: Record<string, number>): Promise<EngineServer> {
  const signal = AbortSignal.timeout(600_000);
  const { kind, path } = await provisionEngine({
    checkout,
    cacheFolder: folder,
    isGuarded: true,
    signal,
    onProgress: () => undefined,
  });
  return startEngineServer({
    kind,
    binary: path,
    dataFile: join(folder, 'engine.db'),
    searchAttributes: SEARCH_ATTRIBUTES,
    dynamicConfig,
    logger: createLogger({ level: 'error', format: 'plain' }),
    signal,
  });
}

function serve(): Promise<ServiceProcess> {
  return startLimitsService({
    dataDir: join(folder, 'data'),
    flags: targetFlags(engine),
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'engine-limits-'));
  engine = await startEngine({});
  service = await serve();
  largeThread = await createThread(service.url);
  const body = { agent_id: 'heap_ts', input: { alphabet: 'random', size_a: 350_000 } };
  await runToEnd(service.url, body, largeThread);
  await service.stop();
  await engine.close();
  engine = await startEngine({
    'limit.blobSize.error': LOW_BYTES,
    'limit.blobSize.warn': LOW_BYTES,
  });
  service = await serve();
});

afterAll(async () => {
  await service.stop();
  await engine.close();
  await rm(folder, { recursive: true, force: true });
});

it('a response that the engine does not carry is 413 state_too_large, and counted', async () => {
  const state = await call(`${service.url}/threads/${largeThread}/state`);
  expect([state.status, state.body]).toMatchObject([
    413,
    { code: 'state_too_large', metadata: { limit: expect.any(Number) as number } },
  ]);
  const counted = await readCounters(service.url, 'service_query_payload_limit_exceeded_total');
  expect(Object.keys(counted)).not.toEqual([]);
  for (const [tags, count] of Object.entries(counted)) {
    expect(tags).toMatch(/^query="(thread|checkpoints|blobs)"$/);
    expect(count).toBeGreaterThan(0);
  }
});

describe.each(['py', 'ts'])('%s', (language) => {
  it('new threads keep to what the engine takes', releaseUnless(language === 'ts'), async () => {
    const threadId = await createThread(service.url);
    const body = (size: number): Record<string, unknown> => ({
      agent_id: `heap_${language}`,
      input: { alphabet: 'random', size_a: size },
    });
    expect(await runToEnd(service.url, body(100_000), threadId)).toMatchObject({
      status: 'completed',
    });
    expect((await call(`${service.url}/threads/${threadId}/state`)).status).toBe(200);
    for (const size of [200_000, 260_000]) {
      expect(await runToEnd(service.url, body(size), threadId)).toMatchObject({
        status: 'error',
        error: { code: 'checkpoint_too_large' },
      });
    }
    expect(await runToEnd(service.url, body(10), threadId)).toMatchObject({ status: 'completed' });
  });
});

it('a ceiling above what the engine reports ends the start with exit code 2 and one sentence', async () => {
  const child = spawnService(
    limitsAgents,
    [`--data-dir=${join(folder, 'other')}`, '--api-addr=127.0.0.1:0', ...targetFlags(engine)],
    { SERVICE_ENGINE_MAX_CHECKPOINT_BYTES: '1Mi' },
  );
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdout.resume();
  expect(await once(child, 'close')).toEqual([2, null]);
  expect(stderr).toContain(
    'engine.max_checkpoint_bytes is 1048576, but this engine takes payloads of 262144 bytes at most.',
  );
});
