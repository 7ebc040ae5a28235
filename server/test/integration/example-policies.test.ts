/**
 * The examples of policies in front of a whole service with tokens of an issuer: each principal and every endpoint. What it
 * may do is written here as the example describes it, deed by deed; nothing is asked of the policies to know it.
 */
import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { routes } from '../../src/contract/routes.ts';
import { protocolContracts } from '../../src/http/agent-protocol/protocol-routes.ts';
import { compatContracts } from '../../src/http/compat/compat-routes.ts';
import { examples } from '../fixtures/example-principals.ts';
import { compatRequests } from '../fixtures/policy-compat-requests.ts';
import type { Deed, PolicyRequest } from '../fixtures/policy-deeds.ts';
import { protocolRequests, refusedProtocolRoutes } from '../fixtures/policy-protocol-requests.ts';
import { nativeRequests } from '../fixtures/policy-requests.ts';
import {
  type Claims,
  exampleAgents,
  examplePolicy,
  openPolicyWorld,
  type OwnedThings,
  type PolicyWorld,
} from '../fixtures/policy-world.ts';
import { releaseUnless } from '../fixtures/shared-service.ts';
import { startCommand } from '../fixtures/service-command.ts';

const otherRequests = [...compatRequests, ...protocolRequests];
const requests = [...nativeRequests, ...otherRequests];
const ITEM = '/store/items?namespace=acme.notes&key=theme';
const nameOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;

it('knows all examples', () => {
  const files = readdirSync(dirname(examplePolicy('roles')));
  const names = files.flatMap((name) => /^([^.]+)\.yaml$/.exec(name)?.[1] ?? []);
  expect(Object.keys(examples).toSorted()).toEqual(names.toSorted());
});

it('has a request for every endpoint that is not public, of a deed where policies are asked', () => {
  const all = [...routes, ...compatContracts, ...protocolContracts];
  const guarded = all.filter(({ isPublic }) => isPublic !== true);
  const free = requests.filter(({ deed }) => deed === undefined).map(({ route }) => route);
  const asked = requests.flatMap(({ route, deed }) => (deed === undefined ? [] : [route]));
  const routesThat = (isAsking: boolean): string[] =>
    guarded.filter(({ asks }) => asks.length > 0 === isAsking).map(nameOf);
  expect(asked.toSorted()).toEqual(routesThat(true).toSorted());
  expect([...free, ...refusedProtocolRoutes].toSorted()).toEqual(routesThat(false).toSorted());
});

/** Who may run which agents, as the example `agents` describes it, and which ones they are shown. */
const agentsOf: readonly (readonly [Claims, readonly string[]])[] = [
  [{ sub: 'ada', mroles: ['mrn:example:role:user'] }, ['chat']],
  [{ sub: 'ada', mroles: ['mrn:example:role:author'] }, ['chat', 'article']],
  [{ sub: 'ada', mgroups: ['mrn:example:group:research'] }, ['chat', 'research']],
  [{ sub: 'ada', mroles: ['mrn:example:role:admin'] }, ['chat', 'article', 'research']],
  [{ sub: 'ada', mannotations: { agents: ['article'] } }, []],
];

it('lets every user run and see the agents that are theirs', { tags: 'release' }, async () => {
  const world = await openPolicyWorld([examplePolicy('agents')]);
  try {
    const found: [Claims, string[]][] = [];
    for (const [claims] of agentsOf) {
      const ran: string[] = [];
      const { text: listed } = await world.ask(claims, 'GET', '/agents');
      for (const name of ['chat', 'article', 'research']) {
        const body = { input: {}, agent_id: name, assistant_id: name };
        const { text } = await world.ask(claims, 'POST', '/threads', {});
        const id = /"thread_id":"([^"]+)"/.exec(text)?.[1] ?? 'none';
        const ways = ['/runs/wait', `/threads/${id}/runs`];
        const compat = ways.map((way) => `/compat/langgraph${way}`);
        const asked = [...ways, ...compat].map((way) => world.ask(claims, 'POST', way, body));
        asked.push(world.ask(claims, 'GET', `/agents/${name}`));
        const outcomes = new Set((await Promise.all(asked)).map((one) => outcomeOf(one)));
        outcomes.add(listed.includes(`"${name}"`) ? 'granted' : 'denied');
        if (outcomes.has('granted')) ran.push(...(outcomes.size === 1 ? [name] : ['?', name]));
      }
      found.push([claims, ran]);
    }
    expect(found).toEqual(agentsOf);
  } finally {
    await world.close();
  }
});

/** The outcome of a request: a denial is a 403 with its reason. */
function outcomeOf(
  { status, text }: { status: number; text: string },
  fails?: PolicyRequest['fails'],
): string {
  if (status < 300 || (fails !== undefined && text.includes(`"${fails}"`))) return 'granted';
  const isDenial = status === 403 && text.includes('"permission_denied"');
  return isDenial ? 'denied' : `${status} ${text}`;
}

interface Played {
  outcomes: Record<string, string>;
  found: Record<string, boolean>;
}

/** The same as the example describes it. */
function described(may: readonly Deed[], sent: readonly PolicyRequest[]): Played {
  const isGranted = ({ deed }: PolicyRequest): boolean => deed === undefined || may.includes(deed);
  return {
    outcomes: Object.fromEntries(
      sent.map((one) => [one.route, isGranted(one) ? 'granted' : 'denied']),
    ),
    found: {
      thread: may.includes('find threads') && may.includes('read'),
      item: may.includes('find items') && may.includes('read an item'),
    },
  };
}

describe.each(Object.entries(examples))('%s', (name, { owner, principals, runs }) => {
  describe('every endpoint', () => {
    let world: PolicyWorld;
    let things: OwnedThings;
    beforeAll(async () => {
      world = await openPolicyWorld([examplePolicy(name)]);
      things = await world.makeThings(owner);
    });
    afterAll(() => world.close());

    // By day one example shows the endpoints of LangGraph's and Agent Protocol's clients: which permissions each of them
    // asks for is shown without a service (asked-permissions.test.ts), and what an example grants by our own.
    const ofEveryPush = ['owner-only: the owner', 'owner-only: another user'];
    for (const [who, { claims, may }] of Object.entries(principals)) {
      const options = releaseUnless(ofEveryPush.includes(`${name}: ${who}`));
      it(`as ${who}`, options, async () => {
        expect(await played(claims, nativeRequests)).toEqual(described(may, nativeRequests));
      });
      const others = name === 'owner-only' ? options : { tags: 'nightly' };
      it(`as ${who}, of other clients`, others, async () => {
        expect(await played(claims, otherRequests)).toEqual(described(may, otherRequests));
      });
    }

    /** What becomes of the requests, and which things are found afterwards; what is denied must change nothing. */
    async function played(claims: Claims, sent: readonly PolicyRequest[]): Promise<Played> {
      const outcomes: Record<string, string> = {};
      let before = await asTheyAre();
      for (const request of sent) {
        const outcome = outcomeOf(await world.send(claims, request, things), request.fails);
        outcomes[request.route] = outcome;
        if (request.isChange !== true || outcome !== 'granted') continue;
        things = await world.makeThings(owner);
        before = await asTheyAre();
      }
      expect(await asTheyAre()).toEqual(before);
      return { outcomes, found: await foundBy(claims) };
    }

    /** The things as their owner finds them. */
    async function asTheyAre(): Promise<string[]> {
      const { thread_id: id } = things;
      const paths = [`/threads/${id}`, `/threads/${id}/runs`, `/threads/${id}/history`, ITEM];
      const found = await Promise.all(paths.map((path) => world.ask(owner, 'GET', path)));
      return found.map(({ text }) => text);
    }

    /** Which of the things are in what searches find. */
    async function foundBy(claims: Claims): Promise<Record<string, boolean>> {
      const ids = [things.thread_id];
      const threads = await world.ask(claims, 'POST', '/threads/search', { ids });
      const items = await world.ask(claims, 'POST', '/store/items/search', { namespace: ['acme'] });
      return {
        thread: threads.text.includes(things.thread_id),
        item: items.text.includes('"dark"'),
      };
    }
  });

  // By day one example shows the way of the principal; that each permits it is shown by the requests above.
  const tags = name === 'roles' ? 'release' : 'nightly';
  it('`service run` as the principal of a file', { tags }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'example-policies-'));
    const file = join(folder, 'who.json');
    const words = ['run', exampleAgents, '--sandbox=none', '--agent=chat', '--input={}'];
    const codes: (number | null)[] = [];
    for (const { mroles = [], ...claims } of [runs.granted, runs.denied] as Claims[]) {
      await writeFile(file, JSON.stringify({ ...claims, mroles }));
      const flags = [`--policy=${examplePolicy(name)}`, `--principal-file=${file}`];
      const { code } = await startCommand([...words, ...flags]).ended;
      codes.push(code);
    }
    await rm(folder, { recursive: true, force: true });
    expect(codes).toEqual([0, 4]);
  });
});
