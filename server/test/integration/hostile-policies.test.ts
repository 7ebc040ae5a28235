/**
 * Policies that do their worst, in front of a whole service: a caller that meets them is denied, all others are served all
 * the while, and nothing of it stays. How long others wait is measured by `npm run bench`; each limit by itself is held by
 * src/policy/rego/rego-limits.test.ts.
 * @module-tag release
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { POLICY_INPUT_BYTES } from '../../src/model/limits/policy-limits.ts';
import { REGO_MEMORY_CEILING_BYTES, REGO_WORKERS } from '../../src/model/limits/rego-limits.ts';
import { hostileDomain, MANY_POLICIES, meeting } from '../fixtures/hostile-policies.ts';
import { openPolicyWorld, type Claims, type PolicyWorld } from '../fixtures/policy-world.ts';
import { peakMegabytes, restlessThreads } from '../fixtures/restless-threads.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

const admin = meeting('admin');
const user = meeting('user');
/** The service itself, with room for what the evaluators read and wrote meanwhile. */
const SERVICE_MEGABYTES = 900;

let folder: string;
let world: PolicyWorld;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hostile-policies-'));
  const file = join(folder, 'hostile.yaml');
  await writeFile(file, hostileDomain());
  world = await openPolicyWorld([file]);
  for (const id of ['a', 'b', 'c']) await world.ask(user, 'POST', '/threads', { thread_id: id });
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

/** Whatever it was: the service is well, its threads rest, and its memory was bounded. */
async function expectWell(): Promise<void> {
  expect(await world.ask(user, 'GET', '/health')).toMatchObject({ status: 200 });
  await waitUntil('threads that rest', 30_000, async () => {
    return (await restlessThreads(world.pid)).length === 0;
  });
  const metrics = (await world.ask(admin, 'GET', '/metrics')).text;
  const threads = Number(/^service_policy_threads (\d+)$/m.exec(metrics)?.[1]);
  expect(threads).toBeLessThanOrEqual(REGO_WORKERS);
  const evaluators = (REGO_WORKERS * REGO_MEMORY_CEILING_BYTES) / 1e6;
  expect(peakMegabytes(world.pid)).toBeLessThan(evaluators + SERVICE_MEGABYTES);
}

/** Asks for several things at once, twice over, as one user; others are served while these wait. */
async function statusesFor(claims: Claims, more: object = {}): Promise<number[]> {
  let isOver = false;
  const begun = [0, 1].flatMap(() => [
    world.ask(claims, 'GET', '/threads/a'),
    world.ask(claims, 'PATCH', '/threads/b', { metadata: { a: 'b' }, ...more }),
    world.ask(claims, 'POST', '/threads', more),
    world.ask(claims, 'POST', '/runs/wait', { agent_id: 'chat', input: {}, ...more }),
    world.ask(claims, 'POST', '/compat/langgraph/threads/c/history', {}),
  ]);
  const asked = Promise.all(begun).finally(() => {
    isOver = true;
  });
  const others: number[] = [];
  do {
    others.push((await world.ask(user, 'GET', '/threads/a')).status);
    others.push((await world.ask(user, 'POST', '/threads/search', {})).status);
  } while (!isOver);
  expect(new Set(others)).toEqual(new Set([200]));
  await expectWell();
  return (await asked).map(({ status }) => status);
}

const denied = Array(10).fill(403);

/** Why the latest of a user's decisions was a denial, in the words of the policy that was asked. */
async function reasonFor({ sub }: Claims): Promise<string> {
  const path = `/policy/decisions?subject=${sub}&decision=deny&limit=100`;
  const { status, text } = await world.ask(admin, 'GET', path);
  expect(status).toBe(200);
  return text;
}

it('nested loops that never end', async () => {
  const claims = meeting('nested-loops');
  expect(await statusesFor(claims)).toEqual(denied);
  expect(await reasonFor(claims)).toContain('the time limit of 1000 ms is over');
});

it('loops about each row of a search: it has an end, and no rows', async () => {
  const found = await world.ask(meeting('nested-loops'), 'POST', '/threads/search', {});
  expect(found).toEqual({ status: 200, text: '[]' });
  await expectWell();
});

it('a text of 10 GB', async () => {
  const claims = meeting('greedy');
  expect(await statusesFor(claims)).toEqual(denied);
  expect(await reasonFor(claims)).toMatch(/out of memory|the time limit of 1000 ms is over/);
});

it('a policy that gets lost in the largest metadata', async () => {
  const claims = meeting('wordy');
  expect(await statusesFor(claims, { metadata: { text: 'x'.repeat(60_000) } })).toEqual(denied);
  expect(await reasonFor(claims)).toMatch(/out of memory|the time limit of 1000 ms is over/);
});

it.each([
  ['almost as large as it may be', -1_000, 'policy_error'],
  ['larger', 1_000, 'input_invalid'],
])('the input of policies is %s', async (_, more, code) => {
  const text = 'x'.repeat(POLICY_INPUT_BYTES + more);
  const porc = { principal: { ...meeting('wordy'), text }, operation: 'service:thread:read' };
  const response = await world.ask(admin, 'POST', '/policy/explain', {
    ...porc,
    resource: 'mrn:service:thread:a',
  });
  expect(response.status).toBe(200);
  const { input: __, ...decision } = JSON.parse(response.text) as { input?: unknown };
  expect(decision).toMatchObject({ is_allowed: false });
  expect(JSON.stringify(decision)).toContain(code);
  await expectWell();
});

it(`${MANY_POLICIES} policies in one decision`, async () => {
  const claims = { sub: 'many', mgroups: ['mrn:hostile:group:many'], mrealm: 'none' };
  expect(await statusesFor(claims)).toEqual(denied);
  const porc = { principal: claims, operation: 'service:thread:read', resource: 'mrn:x' };
  const explained = await world.ask(admin, 'POST', '/policy/explain', porc);
  const decision = JSON.parse(explained.text) as { phases: { outcomes: unknown[] }[] };
  expect(decision).toMatchObject({ is_allowed: false, phase: 'identity' });
  expect(decision.phases[1]?.outcomes).toHaveLength(MANY_POLICIES);
});
