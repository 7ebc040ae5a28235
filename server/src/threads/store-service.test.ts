import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jsonText } from '../model/json.ts';
import type { AgentId, RunUuid, ThreadId } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';
import { askingContext } from '../policy/asking-request.ts';
import type { PolicyPort, PolicyQuestion } from '../policy/port.ts';
import { createStore } from '../store/open-store.ts';
import type { StorePort } from '../store/port.ts';
import { createAgentStore } from './agent-store.ts';
import { StoreService } from './store-service.ts';

const ann: Principal = { sub: 'ann', mroles: [], claims: { sub: 'ann' } };
const bob: Principal = { sub: 'bob', mroles: [], claims: { sub: 'bob' } };
const value = jsonText('{"n":1}');

let folder: string;
let port: StorePort;
let asked: string[];
let decide: (question: PolicyQuestion) => boolean;
let store: StoreService;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'store-service-'));
  port = createStore({ provider: 'sqlite', path: join(folder, 'store.db') });
  asked = [];
  decide = () => true;
  const policy: PolicyPort = {
    isPermitted(question) {
      const { principal, operation, resource } = question;
      asked.push([principal.sub, operation, resource.mrn, resource.owner ?? '-'].join(' '));
      return decide(question);
    },
  };
  store = new StoreService({ store: port, policy });
});
afterEach(async () => {
  await port.close();
  await rm(folder, { recursive: true });
});

const itemKey = (...path: string[]) => ({ namespace: path.slice(0, -1), key: path.at(-1) ?? '' });
const page = { limit: 10, offset: 0 };
const denied = { code: 'permission_denied' };

describe('the question to the policy', () => {
  it('names the item, and who created it once it exists', async () => {
    await store.put(ann, itemKey('users', '42', 'k'), { value });
    await store.put(bob, itemKey('users', '42', 'k'), { value });
    await store.get(bob, itemKey('users', '42', 'k'));
    await store.delete(bob, itemKey('users', '42', 'k'));
    await store.delete(bob, itemKey('users', '42', 'k'));
    expect(asked).toEqual([
      'ann service:store:put mrn:service:store:users.42/k ann',
      'bob service:store:put mrn:service:store:users.42/k ann',
      'bob service:store:get mrn:service:store:users.42/k ann',
      'bob service:store:delete mrn:service:store:users.42/k ann',
      'bob service:store:delete mrn:service:store:users.42/k -',
    ]);
  });

  it('is not misled by what labels and keys hold', async () => {
    await store.put(ann, itemKey('a/b', '*', ':', 'c.d/*'), { value });
    expect(asked).toEqual(['ann service:store:put mrn:service:store:a%2Fb.%2A.%3A/c.d%2F%2A ann']);
  });

  it('is asked before anything is returned or changed', async () => {
    await store.put(ann, itemKey('a', 'k'), { value });
    decide = () => false;
    for (const attempt of [
      () => store.put(bob, itemKey('a', 'k'), { value: jsonText('2') }),
      () => store.get(bob, itemKey('a', 'k')),
      () => store.get(bob, itemKey('a', 'missing')),
      () => store.delete(bob, itemKey('a', 'k')),
      () => store.search(bob, { ...page, prefix: ['a'] }),
      () => store.listNamespaces(bob, { ...page, conditions: [] }),
    ]) {
      await expect(attempt()).rejects.toMatchObject(denied);
    }
    expect(await port.get(itemKey('a', 'k'))).toMatchObject({ value });
  });

  it('takes rows out of lists, also when it cannot decide', async () => {
    for (const [principal, key] of [
      [ann, 'a1'],
      [bob, 'b1'],
      [ann, 'a2'],
    ] as const) {
      await store.put(principal, itemKey('x', key, 'k'), { value });
    }
    decide = ({ operation, resource, principal }) => {
      if (resource.mrn === 'mrn:service:store:x.a2/k') throw new Error('no answer');
      return operation !== 'service:store:get' || resource.owner === principal.sub;
    };
    const found = await store.search(ann, { ...page, prefix: ['x'] });
    expect([found.items.map(({ namespace }) => namespace[1]), found.total]).toEqual([['a1'], 1]);
    decide = ({ resource }) => !resource.mrn.endsWith('.b1');
    const conditions = [{ at: 'prefix' as const, labels: ['x'] }];
    const listed = await store.listNamespaces(ann, { ...page, conditions });
    expect(listed).toEqual({
      items: [
        ['x', 'a1'],
        ['x', 'a2'],
      ],
      total: 2,
    });
    expect(asked).toContain('ann service:store:list mrn:service:store:x -');
  });
});

describe('a request that handlers move to another item', () => {
  it('is also asked about that item, and who owns it', async () => {
    await store.put(ann, itemKey('private', 'k'), { value });
    const moving = new StoreService({
      store: port,
      policy: {
        permit: ({ given }) =>
          Promise.resolve({ given: { ...given, namespace: ['private'], key: 'k' } }),
        isPermitted: ({ principal, resource }) => {
          asked.push(`${principal.sub} ${resource.mrn} ${resource.owner ?? '-'}`);
          return resource.owner === principal.sub;
        },
      },
    });
    asked = [];
    const open = itemKey('open', 'k');
    for (const attempt of [
      () => moving.put(bob, open, { value: jsonText('{"n":2}') }),
      () => moving.get(bob, open),
      () => moving.delete(bob, open),
    ]) {
      await expect(attempt()).rejects.toMatchObject(denied);
    }
    expect(asked).toEqual(Array(3).fill('bob mrn:service:store:private/k ann'));
    expect(await moving.get(ann, open)).toMatchObject({ value, owner: 'ann' });
    await moving.delete(ann, open);
    await moving.put(bob, open, { value });
    expect(asked.at(-1)).toBe('bob mrn:service:store:private/k bob');
  });
});

describe("the agents' store", () => {
  const agents = () =>
    createAgentStore(store, (claims) => ({ sub: claims.sub, mroles: [], claims }));
  // Valid ids.
  const run = { threadId: 't' as ThreadId, agentId: 'chat' as AgentId, runUuid: 'r' as RunUuid };
  const caller = { ...run, principal: bob.claims };

  it('acts for the principal of the run', async () => {
    await agents().put(caller, itemKey('a', 'k'), { value });
    expect(await agents().get(caller, itemKey('a', 'k'))).toMatchObject({ value, owner: 'bob' });
    expect(await agents().get(caller, itemKey('a', 'missing'))).toBeUndefined();
    const query = { ...page, prefix: ['a'], matches: (text: string) => text.includes('1') };
    expect(await agents().search(caller, query)).toHaveLength(1);
    expect(await agents().listNamespaces(caller, { ...page, conditions: [] })).toEqual([['a']]);
    await agents().delete(caller, itemKey('a', 'k'));
    expect(await agents().get(caller, itemKey('a', 'k'))).toBeUndefined();
    expect(new Set(asked.map((line) => line.split(' ')[0]))).toEqual(new Set(['bob']));
    decide = () => false;
    await expect(agents().put(caller, itemKey('a', 'k'), { value })).rejects.toMatchObject(denied);
    await expect(agents().get({ ...run, principal: {} }, itemKey('a', 'k'))).rejects.toMatchObject(
      denied,
    );
  });

  it('passes policies which run asks', async () => {
    const contexts: unknown[] = [];
    decide = () => contexts.push(askingContext()) > 0;
    await agents().put(caller, itemKey('a', 'k'), { value });
    const { runUuid: _, ...outside } = caller;
    await agents().listNamespaces(outside, { ...page, conditions: [] });
    const ofThread = { agent: 'chat', thread_id: 't' };
    expect(contexts).toEqual([{ ...ofThread, caller_run_id: 'r' }, ofThread, ofThread]);
  });

  it('keeps the metadata that the API gave an item', async () => {
    await store.put(ann, itemKey('a', 'k'), { value, metadata: jsonText('{"m":1}') });
    await agents().put(caller, itemKey('a', 'k'), { value: jsonText('2') });
    expect(await store.get(ann, itemKey('a', 'k'))).toMatchObject({
      value: '2',
      metadata: '{"m":1}',
    });
  });

  it('refuses what is too large for one response instead of leaving it out', async () => {
    const large = jsonText(`"${'x'.repeat(6 * 1024 * 1024)}"`);
    for (const key of ['a', 'b', 'c'])
      await agents().put(caller, itemKey('l', key), { value: large });
    await expect(agents().search(caller, { ...page, prefix: ['l'] })).rejects.toMatchObject({
      code: 'payload_too_large',
    });
    expect(await agents().search(caller, { ...page, prefix: ['l'], limit: 2 })).toHaveLength(2);
  });
});

describe('what cannot be stored', () => {
  it.each([
    [['a', ''], 'namespace'],
    [[], 'namespace'],
    [['a.b'], 'namespace'],
    [['a\u0000'], 'namespace'],
    [['a\u0001b'], 'namespace'],
    [['\uD800'], 'namespace'],
    [['x'.repeat(2_000)], 'namespace'],
    [Array<string>(1_001).fill('x'), 'namespace'],
    [['😀'.repeat(500)], 'namespace'],
  ])('on the path %j', async (namespace, path) => {
    for (const attempt of [
      () => store.put(ann, { namespace, key: 'k' }, { value }),
      () => store.get(ann, { namespace, key: 'k' }),
    ]) {
      await expect(attempt()).rejects.toMatchObject({
        code: 'invalid_request',
        details: { issues: [{ path }] },
      });
    }
  });

  it.each(['', '\u0000', 'a\u0001', '\uDC00', 'x'.repeat(513), 'ü'.repeat(257)])(
    'under the key %j',
    async (key) => {
      await expect(store.get(ann, { namespace: ['a'], key })).rejects.toMatchObject({
        details: { issues: [{ path: 'key' }] },
      });
    },
  );

  it('for its size', async () => {
    const put = (text: string, metadata: string) =>
      store.put(ann, itemKey('a', 'k'), { value: jsonText(text), metadata: jsonText(metadata) });
    const tooLarge = { code: 'payload_too_large' };
    await expect(put(`"${'x'.repeat(8 * 1024 * 1024)}"`, '{}')).rejects.toMatchObject(tooLarge);
    await expect(put('1', `{"a":"${'ü'.repeat(33_000)}"}`)).rejects.toMatchObject(tooLarge);
    const keys = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`k${index}`, 1]));
    const search = store.search(ann, { ...page, prefix: [], filter: keys });
    await expect(search).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(put('1', JSON.stringify(keys))).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
