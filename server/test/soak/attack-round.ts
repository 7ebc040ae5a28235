/** One round of what an attacker, or a network that fails, does to a service. Always the same mix. */
import { once } from 'node:events';
import { fuzzedLines } from '../fixtures/bundle-fuzz.ts';
import { packedBundle, threadLines } from '../fixtures/forged-bundle.ts';
import { dial } from '../fixtures/raw-http.ts';

/** The service under attack, and the token that its own clients have. */
export interface Target {
  url: string;
  token: string;
}

/** How often a round does each. */
const TIMES = {
  badTokens: 300,
  largeBodies: 12,
  pipelines: 20,
  readers: 40,
  bundles: 60,
  paths: 200,
  waits: 30,
  longRuns: 20,
  uploads: 30,
};

const LARGE_BYTES = 20_000_000;
const PIPELINED = 60;
const AT_ONCE = 8;

/** All attacks, one kind after the other; `round` makes the forged files others than before. */
export async function attack(target: Target, round: number): Promise<void> {
  const attacks: [times: number, attack: (index: number) => Promise<unknown>][] = [
    [TIMES.badTokens, () => badToken(target)],
    [TIMES.largeBodies, (index) => largeBody(target, index % 2 === 0)],
    [TIMES.pipelines, () => dyingPipeline(target)],
    [TIMES.bundles, (index) => forgedBundle(target, round * TIMES.bundles + index)],
    [TIMES.paths, (index) => pathTrick(target, index)],
    [TIMES.waits, () => cancelledWait(target)],
    [TIMES.longRuns, () => cancelledRun(target)],
    [TIMES.uploads, () => droppedUpload(target)],
  ];
  for (const [times, one] of attacks) await manyTimes(times, one);
  await vanishingReaders(target);
}

async function manyTimes(times: number, one: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < times) await one(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

/** Sends a request with the token; the response, if any, does not matter here. */
async function send(
  { url, token }: Target,
  method: string,
  path: string,
  options: RequestInit = {},
): Promise<string> {
  const headers = { 'X-Service-Token': token, 'Content-Type': 'application/json' };
  try {
    const response = await fetch(url + path, {
      method,
      ...options,
      headers: { ...headers, ...(options.headers as Record<string, string>) },
    });
    return await response.text();
  } catch {
    return '{}'; // cut off, by either side
  }
}

async function badToken({ url }: Target): Promise<void> {
  await send({ url, token: 'x'.repeat(500) }, 'POST', '/threads/search', { body: '{}' });
}

async function largeBody(target: Target, hasLength: boolean): Promise<void> {
  const bytes = new Uint8Array(LARGE_BYTES).fill(0x20);
  const body = hasLength ? bytes : new Blob([bytes]).stream();
  await send(target, 'POST', '/threads', { body, duplex: 'half' });
}

async function dyingPipeline({ url, token }: Target): Promise<void> {
  const socket = await dial(url);
  const request = `GET /agents HTTP/1.1\r\nHost: ${new URL(url).host}\r\nX-Service-Token: ${token}\r\n\r\n`;
  socket.write(request.repeat(PIPELINED));
  await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  socket.destroy();
}

async function forgedBundle(target: Target, seed: number): Promise<void> {
  const id = `forged-${seed}`;
  const body = packedBundle(fuzzedLines(threadLines(id), seed));
  await send(target, 'POST', '/bundles', { body, headers: { 'Content-Type': 'application/gzip' } });
  for (const path of ['', '/state', '/history']) await send(target, 'GET', `/threads/${id}${path}`);
  await send(target, 'DELETE', `/threads/${id}`);
}

async function pathTrick({ url, token }: Target, index: number): Promise<void> {
  const tricks = ['/../'.repeat(9), '/%2e%2e%2f'.repeat(9), '/%00', '/studio/..%2f..%2fetc/passwd'];
  const path = `${tricks[index % tricks.length]}${index}`;
  const socket = await dial(url);
  const host = new URL(url).host;
  const closed = once(socket, 'close');
  socket.resume();
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nX-Service-Token: ${token}\r\nConnection: close\r\n\r\n`,
  );
  await closed;
}

const longRun = (ms: number): string =>
  JSON.stringify({
    agent_id: 'steps_ts',
    input: { ledger: '/dev/null', total: 3, pause_ms: ms, label: 'a'.repeat(10_000) },
  });

async function cancelledWait(target: Target): Promise<void> {
  const signal = AbortSignal.timeout(300);
  await send(target, 'POST', '/runs/wait', { body: longRun(300), signal });
}

async function startedRun(target: Target): Promise<{ run_id: string; thread_id: string }> {
  const text = await send(target, 'POST', '/runs', { body: longRun(60_000) });
  return JSON.parse(text) as { run_id: string; thread_id: string }; // as the contract defines
}

async function cancelledRun(target: Target): Promise<void> {
  const { run_id: id } = await startedRun(target);
  await send(target, 'POST', `/runs/${id}/cancel`, { body: '{}' });
  await send(target, 'GET', `/runs/${id}/wait?wait=30s`);
}

async function droppedUpload({ url, token }: Target): Promise<void> {
  const socket = await dial(url);
  const host = new URL(url).host;
  socket.write(
    `POST /bundles HTTP/1.1\r\nHost: ${host}\r\nX-Service-Token: ${token}\r\nContent-Type: application/gzip\r\nContent-Length: 5000000\r\n\r\n`,
  );
  const file = packedBundle(threadLines('dropped'));
  socket.write(file.subarray(0, file.length - 20), () => socket.destroy());
  await once(socket, 'close');
}

async function vanishingReaders(target: Target): Promise<void> {
  const { run_id: id } = await startedRun(target);
  await manyTimes(TIMES.readers, async () => {
    const signal = AbortSignal.timeout(200);
    await send(target, 'GET', `/runs/${id}/stream`, { signal });
  });
  await send(target, 'POST', `/runs/${id}/cancel`, { body: '{}' });
}
