import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import {
  createDecisionFeed,
  type DecisionFeed,
  type DecisionFeedPorts,
  type DecisionFeedSnapshot,
  type DecisionFilter,
} from './decision-feed.ts';
import { toApiError } from './errors.ts';
import type { AccessRecord } from './generated/types.gen.ts';

const toClose: (() => void)[] = [];
afterEach(() => {
  for (const close of toClose.splice(0)) close();
});

interface Handlers {
  /** The page of decisions before an id, or the newest. */
  readonly page: (query: URLSearchParams) => readonly AccessRecord[];
  readonly stream: (response: ServerResponse, request: IncomingMessage, turn: number) => void;
}

/** A feed over a server scripted by the test. */
async function feedOver(
  { page, stream }: Handlers,
  filter: DecisionFilter = {},
  limits: Pick<DecisionFeedPorts, 'maxDecisions' | 'pageSize' | 'silenceMs'> = {},
): Promise<DecisionFeed> {
  let turn = 0;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://service');
    if (pathname === '/policy/decisions/stream') return stream(response, request, (turn += 1));
    response.end(JSON.stringify(page(searchParams)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // `address()` is an object for every listener on a port.
  const { port } = server.address() as AddressInfo;
  const feed = createDecisionFeed(filter, {
    async connect(path, init) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
      if (response.ok) return response;
      throw toApiError(await response.text(), response);
    },
    schedule: (deliver) => setImmediate(deliver),
    firstDelayMs: 1,
    ...limits,
  });
  toClose.push(() => {
    feed.close();
    server.closeAllConnections();
    server.close();
  });
  return feed;
}

function until(
  feed: DecisionFeed,
  isMet: (snapshot: DecisionFeedSnapshot) => boolean,
): Promise<DecisionFeedSnapshot> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`waited for too long: ${JSON.stringify(feed.getSnapshot())}`)),
      8_000,
    );
    const check = (): void => {
      const snapshot = feed.getSnapshot();
      if (!isMet(snapshot)) return;
      clearTimeout(timer);
      unsubscribe();
      resolve(snapshot);
    };
    const unsubscribe = feed.subscribe(check);
    check();
  });
}

const decision = (id: number): AccessRecord => ({
  id,
  timestamp: '2026-11-21T12:00:00.000Z',
  subject: 'ada',
  operation: 'service:thread:read',
  resource: 'mrn:service:thread:t1',
  decision: 'GRANT',
  phase: 'scope',
  code: 'scope_missing',
  reason: 'The principal has no scope, so none isMet it back.',
  references: [],
  durations: { decision: 310, policies: 250 },
  phases: [],
});

const event = (id: number): string =>
  `id: ${id}\nevent: decision\ndata: ${JSON.stringify(decision(id))}\n\n`;

function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
}

const idsIn = ({ decisions }: DecisionFeedSnapshot): number[] => decisions.map(({ id }) => id);
const has =
  (...ids: number[]) =>
  (snapshot: DecisionFeedSnapshot): boolean =>
    idsIn(snapshot).join() === ids.join();

test('shows the retained decisions and the new ones, the newest first and each once', async () => {
  const requested: string[] = [];
  const feed = await feedOver(
    {
      page: (query) => {
        requested.push(query.toString());
        return [decision(2), decision(1)];
      },
      stream(response, request) {
        requested.push(request.url ?? '');
        begin(response);
        // Decided while the page was read: it is in both.
        response.write(event(2) + event(3));
      },
    },
    { subject: 'ada', decision: 'deny' },
  );
  await until(feed, has(3, 2, 1));
  expect(requested).toEqual([
    '/policy/decisions/stream?subject=ada&decision=deny',
    'subject=ada&decision=deny&limit=100',
  ]);
});

test('resumes after a lost connection with the last id, without reading the page again', async () => {
  const requested: unknown[] = [];
  const feed = await feedOver({
    page: (query) => {
      requested.push(query.toString());
      return [decision(1)];
    },
    stream(response, request, turn) {
      requested.push(request.headers['last-event-id'] ?? 'no id');
      begin(response);
      if (turn === 1) response.end(event(2));
      else response.write(event(2) + event(3));
    },
  });
  await until(feed, has(3, 2, 1));
  expect(requested).toEqual(['no id', 'limit=100', '2']);
});

test('reads the newest again where the service no longer retains what was missed', async () => {
  let newest = [decision(1)];
  const feed = await feedOver({
    page: () => newest,
    stream(response, _request, turn) {
      begin(response);
      if (turn === 1) return void response.end(event(2));
      newest = [decision(9), decision(8)];
      response.write(`: gap\n\n${event(9)}`);
    },
  });
  expect(idsIn(await until(feed, ({ decisions }) => decisions[0]?.id === 9))).toEqual([9, 8]);
});

test('a pause keeps what is shown, and counts new decisions', async () => {
  let live: ServerResponse | undefined;
  const feed = await feedOver({
    page: () => [decision(1)],
    stream(response) {
      begin(response);
      response.write(': heartbeat\n\n');
      live = response;
    },
  });
  await until(feed, has(1));
  feed.pause();
  live?.write(event(2) + event(3));
  const paused = await until(feed, ({ waiting }) => waiting === 2);
  expect(idsIn(paused)).toEqual([1]);
  feed.resume();
  await until(feed, has(3, 2, 1));
});

test('reads older ones page by page, until there are none', async () => {
  const feed = await feedOver(
    {
      page: (query) => (query.get('before') === '3' ? [decision(2)] : [decision(4), decision(3)]),
      stream: stayOpen,
    },
    {},
    { pageSize: 2 },
  );
  const { hasOlder } = await until(feed, has(4, 3));
  expect(hasOlder).toBe(true);
  feed.readOlder();
  const whole = await until(feed, has(4, 3, 2));
  expect(whole.hasOlder).toBe(false);
});

test('keeps a bounded number, and drops the oldest', async () => {
  const feed = await feedOver(
    {
      page: () => [decision(1)],
      stream(response) {
        begin(response);
        response.write([2, 3, 4, 5].map(event).join(''));
      },
    },
    {},
    { maxDecisions: 3 },
  );
  const { hasOlder } = await until(feed, has(5, 4, 3));
  expect(hasOlder).toBe(true);
});

test('a refusal is final and has its reason', async () => {
  const body = { code: 'permission_denied', message: 'Denied.', metadata: {} };
  const feed = await feedOver({
    page: () => [],
    stream: (response) => void response.writeHead(403).end(JSON.stringify(body)),
  });
  const { error } = await until(feed, ({ connection }) => connection === 'failed');
  expect(error).toMatchObject({ status: 403, code: 'permission_denied' });
});

test('a connection without data is replaced', async () => {
  let turns = 0;
  const feed = await feedOver(
    {
      page: () => [decision(1)],
      stream(response, _request, turn) {
        turns = turn;
        begin(response);
        response.write(turn === 1 ? ': heartbeat\n\n' : event(2));
      },
    },
    {},
    { silenceMs: 30 },
  );
  await until(feed, has(2, 1));
  expect(turns).toBeGreaterThan(1);
});

function stayOpen(response: ServerResponse): void {
  begin(response);
  response.write(': heartbeat\n\n');
}
