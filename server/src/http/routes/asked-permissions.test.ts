// Each route asks the policy exactly what its contract declares, and a denied caller gets nothing by any route.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestsOf } from '../../../test/fixtures/route-requests.ts';
import {
  openRouteWorld,
  SECRET,
  type RouteWorld,
  type Things,
} from '../../../test/fixtures/route-world.ts';
import type { AskedPermission } from '../../contract/permissions.ts';
import type { RouteContract } from '../../contract/route.ts';
import { routes } from '../../contract/routes.ts';
import type { PolicyQuestion } from '../../policy/port.ts';
import { protocolContracts } from '../agent-protocol/protocol-routes.ts';
import { compatContracts } from '../compat/compat-routes.ts';

const contracts = [...routes, ...compatContracts, ...protocolContracts];
const named = contracts.map((contract): [string, RouteContract] => [
  `${contract.method} ${contract.path}`,
  contract,
]);
const PATTERNS = { run_uuid: '[0-9a-f-]{36}', thread_id: '[^*]+', copy_id: '[^*]+' };

/** What shows Ada the secret of her things. Of any other route it proves nothing that Eve sees none. */
const showing: ReadonlySet<string> = new Set([
  'post /threads',
  'post /threads/search',
  'get /threads/{thread_id}',
  'patch /threads/{thread_id}',
  'post /threads/{thread_id}/copy',
  'get /threads/{thread_id}/runs',
  'get /threads/{thread_id}/runs/{run_id}',
  'post /threads/{thread_id}/runs/{run_id}/cancel',
  'get /runs',
  'post /runs/search',
  'get /runs/{run_id}',
  'get /runs/{run_id}/input',
  'get /runs/{run_id}/trace',
  'post /runs/{run_id}/cancel',
  'get /threads/{thread_id}/state',
  'post /threads/{thread_id}/state/checkpoint',
  'get /threads/{thread_id}/state/{checkpoint_id}',
  'get /threads/{thread_id}/history',
  'post /threads/{thread_id}/history',
  'get /store/items',
  'post /store/items/search',
  'post /compat/langgraph/assistants/search',
  'post /compat/langgraph/assistants',
  'get /compat/langgraph/assistants/{assistant_id}',
  'post /compat/langgraph/assistants/{assistant_id}/versions',
  'post /compat/langgraph/assistants/{assistant_id}/latest',
  'post /compat/langgraph/threads/search',
  'post /compat/langgraph/threads',
  'get /compat/langgraph/threads/{thread_id}',
  'patch /compat/langgraph/threads/{thread_id}',
  'post /compat/langgraph/threads/{thread_id}/copy',
  'post /compat/langgraph/mcp',
  'get /compat/langgraph/.well-known/agent-card.json',
  'post /compat/langgraph/runs/crons/search',
  'get /compat/langgraph/runs/crons/{cron_id}',
  'patch /compat/langgraph/runs/crons/{cron_id}',
  'post /compat/langgraph/threads/{thread_id}/runs/wait',
  'get /compat/langgraph/threads/{thread_id}/runs',
  'get /compat/langgraph/threads/{thread_id}/runs/{run_id}',
  'get /compat/langgraph/threads/{thread_id}/runs/{run_id}/join',
  'get /compat/langgraph/store/items',
  'post /compat/langgraph/store/items/search',
  'post /compat/agent-protocol/threads/search',
  'get /compat/agent-protocol/threads/{thread_id}',
  'patch /compat/agent-protocol/threads/{thread_id}',
  'post /compat/agent-protocol/threads/{thread_id}/copy',
  'get /compat/agent-protocol/threads/{thread_id}/history',
  'post /compat/agent-protocol/runs/search',
  'get /compat/agent-protocol/runs/{run_id}',
  'get /compat/agent-protocol/runs/{run_id}/wait',
  'get /compat/agent-protocol/store/items',
  'post /compat/agent-protocol/store/items/search',
]);

let world: RouteWorld;
let count = 0;
beforeAll(async () => {
  world = await openRouteWorld();
});
afterAll(() => world.close());

/** What a request may ask: with the ids of its path, and any others where it names none. */
function isEntry(
  { operation, resource }: AskedPermission,
  asked: { operation: string; mrn: string },
  known: ReadonlyMap<string, string>,
): boolean {
  const pattern = resource
    .replaceAll(/[.*]/g, String.raw`\$&`)
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const value = known.get(name) ?? new Map(Object.entries(PATTERNS)).get(name);
      return value ?? '.+';
    });
  return operation === asked.operation && new RegExp(`^${pattern}$`).test(asked.mrn);
}

/** The ids that a route has in its path. */
function idsOf({ path }: RouteContract, request: string, things: Things): Map<string, string> {
  const known = new Map<string, string>();
  if (path.includes('{thread_id}')) {
    known.set('thread_id', /threads\/([^/?]+)/.exec(request)?.[1] ?? things.thread_id);
  }
  if (path.includes('{run_id}')) {
    known.set('thread_id', things.thread_id).set('run_uuid', things.run_uuid);
  }
  if (/\{(?:name|assistant_id|agent_id)\}/.test(path)) known.set('name', 'echo');
  return known;
}

describe('what the contract declares', () => {
  it.each(named)('%s has an entry, unless it does nothing or is public', (name, contract) => {
    const isHarmless =
      contract.isPublic === true ||
      name === 'get /metrics' ||
      /agent-protocol\/threads\/\{thread_id\}\/(?:stream|commands)/.test(name);

    expect(contract.asks.length === 0).toBe(isHarmless);
  });

  it.each(named)(
    '%s asks that, and nothing else, and shows what it has',
    async (route, contract) => {
      world.decide = () => true;
      let isShown = false;
      const met = new Set<AskedPermission>();
      for (const { name, before, times, request } of requestsOf(contract)) {
        const things = await world.makeThings();
        count += 1;
        const made = request(things, `new-${count}`);
        await before(world.service.engine, things);
        world.asked.length = 0;
        for (let time = 0; time < times; time += 1) {
          const { status, text } = await world.send('ada', made);
          expect([name, status === 500 ? text : '']).toEqual([name, '']);
          isShown ||= text.includes(SECRET);
        }
        const known = idsOf(contract, made.path, things);
        for (const asked of world.asked) {
          const entries = contract.asks.filter((entry) => isEntry(entry, asked, known));
          expect([name, asked, entries.length > 0]).toEqual([name, asked, true]);
          for (const entry of entries) met.add(entry);
        }
        for (const entry of contract.asks.filter(({ when }) => when === undefined)) {
          const isAsked = world.asked.some((asked) => isEntry(entry, asked, known));
          expect([name, entry, isAsked]).toEqual([name, entry, true]);
        }
      }
      expect(contract.asks.filter((entry) => !met.has(entry))).toEqual([]);
      expect(isShown).toBe(showing.has(route));
    },
  );
});

describe('resources of another user', () => {
  const ownerless = new Set([
    'service:thread:search',
    'service:run:search',
    'service:agent:list',
    'service:agent:search',
    'service:agent:read',
    'service:cron:search',
    'service:store:search',
    'service:store:list',
    'service:bundle:import',
  ]);
  const ownerOnly = ({ principal, operation, resource: { owner } }: PolicyQuestion): boolean =>
    owner === undefined ? ownerless.has(operation) : owner === principal.sub;

  it.each(named)('%s shows and changes nothing of them', async (_name, contract) => {
    for (const { name, before: prepare, times, request } of requestsOf(contract)) {
      const things = await world.makeThings();
      await prepare(world.service.engine, things);
      world.decide = ownerOnly;
      const before = await seen(things);
      count += 1;
      const made = request(things, `eves-${count}`);
      for (let time = 0; time < times; time += 1) {
        const { text } = await world.send('eve', { ...made, ...leaving(made.leaves) });
        expect([name, text.includes(SECRET)]).toEqual([name, false]);
      }
      expect([name, await seen(things)]).toEqual([name, before]);
    }
  });

  /** Whose run it would be: what Eve may not have is not cancelled by her leaving, either. */
  function leaving(leaves: unknown): object {
    return leaves === undefined ? {} : { leaves: 'and the run continues' };
  }

  async function seen(things: Things): Promise<unknown> {
    const { thread_id: threadId, run_uuid: runUuid } = things;
    const { engine } = world.service;
    const { total } = await engine.runs.list(threadId, { limit: 1, offset: 0 });
    const assistant = await world.assistants.read(things.stored_id);
    const cron = await world.crons.read(things.cron_id);
    const run = await engine.runs.read(threadId, runUuid);
    return [await engine.threads.read(threadId), run, total, assistant, cron];
  }
});
