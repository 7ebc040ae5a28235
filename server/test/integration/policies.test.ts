/**
 * Policy files in front of a whole service: tokens of an issuer, agents' own calls, files that change, `service run`.
 * What a domain means is held by src/policy/domain, what each route asks by src/http/routes/access.test.ts.
 * @module-tag release
 */
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { startTestIssuer, type TestIssuer } from '../fixtures/issuer.ts';
import { startCommand } from '../fixtures/service-command.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

const agents = fileURLToPath(new URL('../fixtures/policy-agents', import.meta.url));
const example = (name: string): string =>
  fileURLToPath(new URL(`../../../examples/policies/${name}.yaml`, import.meta.url));
const COMPAT = '/compat/langgraph';

const viewer = { sub: 'vera', mroles: ['mrn:example:role:viewer'] };
const operator = { sub: 'otto', mroles: ['mrn:example:role:operator'] };
const admin = { sub: 'ada', mroles: ['mrn:example:role:admin'] };
const user = (sub: string) => ({ sub, mroles: ['mrn:example:role:user'] });

let folder: string;
let policies: string;
let issuer: TestIssuer;
let service: ServiceProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'policies-'));
  policies = join(folder, 'policies.yaml');
  await copyFile(example('roles'), policies);
  issuer = await startTestIssuer();
  service = await startService({
    agents,
    flags: ['--policy', policies],
    environment: {
      SERVICE_API_AUTH_ENABLED: 'true',
      SERVICE_API_AUTH_OIDC_ISSUER: issuer.url,
      SERVICE_API_AUTH_OIDC_AUDIENCE: issuer.audience,
      SERVICE_STORE_PROVIDER: 'sqlite',
      SERVICE_STORE_SQLITE_DB_PATH: join(folder, 'store.db'),
    },
  });
});
afterAll(async () => {
  await service.stop();
  await issuer.close();
  await rm(folder, { recursive: true, force: true });
});

/** A request with a token that carries the claims. */
async function as(claims: Record<string, unknown>, method: string, path: string, body?: unknown) {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${await issuer.token(claims)}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
}

async function statusAs(...asked: Parameters<typeof as>): Promise<number> {
  return (await as(...asked)).status;
}

const note = { agent_id: 'note', input: { text: 'hello' } };

it('decides by the claims of tokens: roles, groups and scopes', async () => {
  expect(await statusAs(operator, 'POST', '/threads', { thread_id: 't' })).toBe(201);
  const onCall = { sub: 'olga', mgroups: ['mrn:example:group:on-call'] };
  const reading = { ...operator, scopes: ['mrn:example:scope:read'] };
  const statuses = {
    viewer: await statusAs(viewer, 'GET', '/threads/t'),
    'viewer, to change it': await statusAs(viewer, 'PATCH', '/threads/t', { metadata: { a: 'b' } }),
    'viewer, over the compat API': await statusAs(viewer, 'POST', `${COMPAT}/threads`, {}),
    'operator by a group': await statusAs(onCall, 'POST', '/threads', {}),
    'operator with a token for reading': await statusAs(reading, 'POST', '/threads', {}),
    'operator, to delete it': await statusAs(operator, 'DELETE', '/threads/t'),
    'a user without roles': await statusAs({ sub: 'eve' }, 'GET', '/threads/t'),
    'a role of another service': await statusAs({ mroles: ['mrn:x'] }, 'GET', '/threads/t'),
    admin: await statusAs(admin, 'DELETE', '/threads/t'),
  };
  expect(statuses).toEqual({
    viewer: 200,
    'viewer, to change it': 403,
    'viewer, over the compat API': 403,
    'operator by a group': 201,
    'operator with a token for reading': 403,
    'operator, to delete it': 403,
    'a user without roles': 403,
    'a role of another service': 403,
    admin: 204,
  });
  expect((await fetch(`${service.url}/threads/t`)).status).toBe(401);
});

it('reports what was denied, and outside of test mode no more', async () => {
  expect(await as(viewer, 'DELETE', '/threads/t')).toEqual({
    status: 403,
    body: {
      code: 'permission_denied',
      message: 'The policy denies service:thread:delete on mrn:service:thread:t.',
      detail: expect.any(String) as string,
      metadata: {
        operation: 'service:thread:delete',
        resource: 'mrn:service:thread:t',
        request_id: expect.any(String) as string,
      },
    },
  });
});

it('logs every decision with the policies behind it, and shows them to whom the policies permit it', async () => {
  await as(viewer, 'PATCH', '/threads/watched', { metadata: { a: 'b' } });
  const list =
    '/policy/decisions?operation=service:thread:update&resource=mrn:service:thread:watched';
  const shown = await as(viewer, 'GET', list);
  const record = {
    subject: 'vera',
    decision: 'DENY',
    phase: 'identity',
    references: expect.arrayContaining([
      expect.objectContaining({ domain: 'roles', file: policies, phase: 'identity' }),
    ]) as unknown,
  };
  expect(shown).toMatchObject({ status: 200, body: [record] });
  // Asking was a decision, too: logged, and not among those that are shown.
  await service.printed(/"operation":"service:policy:read".*"msg":"decision"/);
  const lines = service.output().match(/^\{.*"msg":"decision"\}$/gm) ?? [];
  const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(logged.find(({ resource }) => resource === 'mrn:service:thread:watched')).toMatchObject(
    record,
  );
  expect(await as(admin, 'GET', '/policy/decisions?operation=service:policy:*')).toMatchObject({
    body: [],
  });
  expect(await statusAs({ sub: 'eve' }, 'GET', list)).toBe(403);
  expect(await statusAs(viewer, 'POST', '/policy/permissions', {})).toBe(403);
  const asked = { principal: viewer, agent_id: 'note' };
  expect(await as(admin, 'POST', '/policy/permissions', asked)).toMatchObject({
    body: {
      items: [
        { operation: 'service:run:create', is_allowed: false },
        { operation: 'service:agent:read', is_allowed: true },
      ],
    },
  });
});

it("asks in the name of the run's principal when an agent uses its store", async () => {
  const denied = await as(operator, 'POST', '/runs/wait', note);
  expect(denied).toMatchObject({ status: 200, body: { status: 'completed' } });
  expect(denied).toMatchObject({
    body: { output: { result: expect.stringContaining('service:store:put') as string } },
  });
  const kept = await as(admin, 'POST', '/runs/wait', note);
  expect(kept).toMatchObject({ status: 200, body: { output: { result: 'kept' } } });
});

it('reads its policy files again at SIGHUP, also twice, while requests continue', async () => {
  await copyFile(example('owner-only'), policies);
  const meanwhile = Promise.all(
    Array.from({ length: 20 }, () => statusAs(viewer, 'POST', '/threads', {})),
  );
  process.kill(service.pid, 'SIGHUP');
  process.kill(service.pid, 'SIGHUP');
  await service.printed(/policies reloaded/);
  // By neither version may a viewer make threads.
  expect(new Set(await meanwhile)).toEqual(new Set([403]));
  await waitUntil('the new policies decide', 60_000, async () => {
    return (await statusAs(user('ada'), 'POST', '/threads', { thread_id: 'of-ada' })) === 201;
  });
  expect(await statusAs(user('ada'), 'GET', '/threads/of-ada')).toBe(200);
  expect(await statusAs(user('bob'), 'GET', '/threads/of-ada')).toBe(403);
  expect(await statusAs(user('bob'), 'GET', '/threads/none')).toBe(403);
  const found = await as(user('bob'), 'POST', '/threads/search', {});
  expect(found).toEqual({ status: 200, body: [] });
});

it('keeps what it has when a file changes to something broken, or goes, and reports all findings', async () => {
  await writeFile(policies, 'kind: PolicyDomain\nmore: 1\n');
  await service.printed(/the changed policies cannot be used[^]*policy finding/);
  expect(service.output()).toMatch(/policy finding file=\S+policies\.yaml line=2 column=1/);
  expect(await statusAs(user('ada'), 'GET', '/threads/of-ada')).toBe(200);
  expect(await statusAs(user('bob'), 'GET', '/threads/of-ada')).toBe(403);
  await rm(policies);
  await service.printed(/This file does not exist/);
  expect(await statusAs(user('bob'), 'GET', '/threads/of-ada')).toBe(403);
  await copyFile(example('roles'), policies);
  await waitUntil('the restored file decides', 60_000, async () => {
    return (await statusAs(viewer, 'GET', '/threads/of-ada')) === 200;
  });
});

it('`service run` is denied with exit code 4, and runs as the principal of a file', async () => {
  const who = join(folder, 'who.json');
  const words = ['run', agents, '--sandbox=none', '--policy', example('roles'), '--input', '{}'];
  const results = [];
  for (const principal of [undefined, viewer, operator]) {
    if (principal) await writeFile(who, JSON.stringify(principal));
    const named = principal ? ['--principal-file', who] : [];
    const { code, stdout, stderr } = await startCommand([...words, ...named]).ended;
    const [sentence] = /^Error: .*$/m.exec(stderr) ?? [];
    results.push({ code, isEmpty: stdout === '', sentence });
  }
  const sentence = expect.stringMatching(/^Error: The policy denies service:run:create on mrn:/);
  expect(results).toEqual([
    { code: 4, isEmpty: true, sentence },
    { code: 4, isEmpty: true, sentence },
    { code: 0, isEmpty: false, sentence: undefined },
  ]);
});

it('does not start with policies that are broken, and lists what is wrong', async () => {
  const broken = join(folder, 'broken.yaml');
  await writeFile(broken, 'kind: PolicyDomain\nmore: 1\n');
  const files = `${broken},${join(folder, 'none.yaml')}`;
  const started = startCommand(['serve', agents, '--sandbox=none', '--policy', files]);
  const { code, stdout, stderr } = await started.ended;
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(
    /Error: The policies cannot be used:\n.*broken\.yaml:1:1: .*\n[^]*none\.yaml:1:1: This file does not exist/,
  );
});
