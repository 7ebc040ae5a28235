import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { toApiError } from './errors.ts';
import type { LogLimits, RunStreamEvent } from './run-event-log.ts';
import type { RunStream, RunStreamSnapshot } from './run-event-stream.ts';
import { createRunStream } from './run-event-stream.ts';
import type { StreamSlots } from './stream-slots.ts';

type Handler = (response: ServerResponse, lastEventId: string | undefined, turn: number) => void;

const toClose: (() => void)[] = [];
afterEach(() => {
  for (const close of toClose.splice(0)) close();
  vi.useRealTimers();
});

/** A stream over a server whose handler is called for each connection. */
async function streamOver(
  handler: Handler,
  options: {
    subgraphs?: boolean;
    limits?: LogLimits;
    silenceMs?: number;
    slots?: StreamSlots;
  } = {},
): Promise<RunStream> {
  let turn = 0;
  const server = createServer((request, response) => {
    const lastEventId = request.headers['last-event-id'];
    handler(response, typeof lastEventId === 'string' ? lastEventId : undefined, (turn += 1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // `address()` is an object for every listener on a port.
  const { port } = server.address() as AddressInfo;
  const stream = createRunStream(
    { path: '/stream', subgraphs: options.subgraphs ?? true },
    {
      async connect(path, init) {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
        if (response.ok) return response;
        throw toApiError(await response.text(), response);
      },
      // No timer: a test may stop the clock.
      schedule: (deliver) => setImmediate(deliver),
      firstDelayMs: 1,
      ...(options.limits === undefined ? {} : { limits: options.limits }),
      ...(options.silenceMs === undefined ? {} : { silenceMs: options.silenceMs }),
      ...(options.slots && { slots: options.slots }),
    },
  );
  toClose.push(() => {
    stream.close();
    server.closeAllConnections();
    server.close();
  });
  return stream;
}

function until(
  stream: RunStream,
  isMet: (snapshot: RunStreamSnapshot) => boolean,
): Promise<RunStreamSnapshot> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('waited for too long')), 5_000);
    const check = (): void => {
      const snapshot = stream.getSnapshot();
      if (!isMet(snapshot)) return;
      clearTimeout(timer);
      unsubscribe();
      resolve(snapshot);
    };
    const unsubscribe = stream.subscribe(check);
    check();
  });
}

/** Any data changes the stream, a heartbeat too. */
function nextChange(stream: RunStream): Promise<void> {
  return new Promise((resolve) => {
    const unsubscribe = stream.subscribe(() => {
      unsubscribe();
      resolve();
    });
  });
}

const ended = ({ connection }: RunStreamSnapshot): boolean => connection === 'ended';

function rows({ log }: RunStreamSnapshot): RunStreamEvent[] {
  return Array.from({ length: log.end - log.first }, (_, index) =>
    log.get(log.first + index),
  ).filter((row) => row !== undefined);
}

function textOf(snapshot: RunStreamSnapshot): string[] {
  return rows(snapshot).map(
    ({ id, type, ns, data }) => `${id ?? '-'} ${type}${ns && `|${ns}`} ${data}`,
  );
}

function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
}

const event = (id: number, name: string, data = '{}'): string =>
  `id: ${id}\nevent: ${name}\ndata: ${data}\n\n`;

test('shows events as they arrive, with their sub-graphs, until done', async () => {
  const stream = await streamOver((response) => {
    begin(response);
    response.write(event(1, 'values', '{"a":1}'));
    response.end(event(2, 'updates|section:7', '{"draft":{}}') + event(3, 'done'));
  });
  expect(textOf(await until(stream, ended))).toEqual([
    '1 values {"a":1}',
    '2 updates|section:7 {"draft":{}}',
    '3 done {}',
  ]);
});

test('leaves out sub-graphs when they are not requested', async () => {
  const handler: Handler = (response) => {
    begin(response);
    response.end(event(1, 'updates|a:1') + event(2, 'updates') + event(3, 'done'));
  };
  const stream = await streamOver(handler, { subgraphs: false });
  expect(textOf(await until(stream, ended))).toEqual(['2 updates {}', '3 done {}']);
});

test('resumes after a lost connection with the last id, drops duplicates and reports no gap', async () => {
  const requested: (string | undefined)[] = [];
  const stream = await streamOver((response, lastEventId, turn) => {
    requested.push(lastEventId);
    begin(response);
    if (turn === 1) {
      // Cut in the middle of an event.
      response.write(event(1, 'values') + event(2, 'updates') + 'id: 3\nevent: upd', () =>
        response.destroy(),
      );
      return;
    }
    response.end(event(2, 'updates') + event(3, 'updates', '{"whole":1}') + event(4, 'done'));
  });
  expect(textOf(await until(stream, ended))).toEqual([
    '1 values {}',
    '2 updates {}',
    '- reconnected {"lost":0}',
    '3 updates {"whole":1}',
    '4 done {}',
  ]);
  expect(requested).toEqual([undefined, '2']);
  expect(stream.getSnapshot().reconnects).toBe(1);
});

test('a connection that another window wants is closed, and continued when it is free again', async () => {
  const released = vi.fn();
  let giveBack: () => void = () => undefined;
  let free: () => void = () => undefined;
  let isFree = Promise.resolve();
  const slots: StreamSlots = {
    async take(_, give) {
      await isFree;
      giveBack = give;
      return released;
    },
  };
  const closed = vi.fn();
  const stream = await streamOver(
    (response, lastEventId, turn) => {
      begin(response);
      response.on('close', closed);
      if (turn === 1) response.write(event(0, 'values', '{"a":1}'));
      else response.end(event(1, 'values', `{"after":"${lastEventId}"}`) + event(2, 'done'));
    },
    { slots },
  );
  await until(stream, ({ received }) => received === 1);
  isFree = new Promise((resolve) => (free = resolve));
  giveBack();
  await vi.waitFor(() => expect(closed).toHaveBeenCalledTimes(1));
  await until(stream, ({ connection }) => connection === 'connecting');
  expect(released).toHaveBeenCalledTimes(1);
  free();
  const last = await until(stream, ended);
  expect([last.error, last.reconnects]).toEqual([undefined, 0]);
  expect(textOf(last)).toEqual(['0 values {"a":1}', '1 values {"after":"0"}', '2 done {}']);
});

test('an end without done is a lost connection, also when it is closed cleanly', async () => {
  const stream = await streamOver((response, lastEventId) => {
    begin(response);
    response.end(lastEventId === undefined ? event(1, 'custom') : event(2, 'done'));
  });
  expect(textOf(await until(stream, ended))).toHaveLength(3);
});

test('a gap is a row, and the values after it count although their id is known', async () => {
  const stream = await streamOver((response, _lastEventId, turn) => {
    begin(response);
    if (turn === 1) response.end(event(5, 'updates'));
    else response.end(`: gap\n\n${event(5, 'values', '{"a":2}')}${event(6, 'done')}`);
  });
  expect(textOf(await until(stream, ended))).toEqual([
    '5 updates {}',
    '- gap {"reconnected":true}',
    '5 values {"a":2}',
    '6 done {}',
  ]);
});

test('a failed run ends the stream, a failed stream is retried', async () => {
  const stream = await streamOver((response, _lastEventId, turn) => {
    begin(response);
    if (turn === 1) {
      response.end(
        `${event(1, 'values')}event: error\ndata: {"error":"stopping","code":"service_stopping"}\n\n`,
      );
    } else response.end(event(2, 'error', '{"error":"boom","code":"agent_error"}'));
  });
  expect(textOf(await until(stream, ended))).toEqual([
    '1 values {}',
    '- reconnected {"lost":0}',
    '2 error {"error":"boom","code":"agent_error"}',
  ]);
});

test('a permanent error is a failure with its code', async () => {
  const stream = await streamOver((response) => {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end('{"code":"run_not_found","message":"There is no such run.","metadata":{}}');
  });
  const { error } = await until(stream, ({ connection }) => connection === 'failed');
  expect([error?.status, error?.code]).toEqual([404, 'run_not_found']);
});

test('an unavailable service is retried until it is back', async () => {
  const stream = await streamOver((response, _lastEventId, turn) => {
    if (turn < 4) {
      response.writeHead(503, { 'content-type': 'application/json' });
      response.end('{"code":"engine_unavailable","message":"Unavailable.","metadata":{}}');
      return;
    }
    begin(response);
    response.end(event(1, 'done'));
  });
  expect((await until(stream, ended)).connection).toBe('ended');
});

test('a silent connection is replaced; heartbeats keep it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let response: ServerResponse | undefined;
  const handler: Handler = (connected, _lastEventId, turn) => {
    response = connected;
    begin(connected);
    if (turn === 1) connected.write(event(1, 'values'));
    else connected.flushHeaders();
  };
  const stream = await streamOver(handler, { silenceMs: 100 });
  await until(stream, ({ shown }) => shown === 1);
  vi.advanceTimersByTime(100);
  await until(stream, ({ connection }) => connection === 'reconnecting');
  vi.advanceTimersByTime(2);
  await until(stream, ({ connection }) => connection === 'open');
  // Longer than three time limits, and a heartbeat arrives within each of them.
  for (let beat = 1; beat <= 4; beat += 1) {
    vi.advanceTimersByTime(90);
    const changed = nextChange(stream);
    response?.write(': heartbeat\n\n');
    await changed;
  }
  response?.end(event(2, 'done'));
  const snapshot = await until(stream, ended);
  expect(snapshot.reconnects).toBe(1);
});

test('a check replaces a connection that is silent, and no other', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const responses: ServerResponse[] = [];
  const stream = await streamOver((response) => {
    responses.push(response);
    begin(response);
    response.write(event(responses.length, 'values'));
  });
  await until(stream, ({ shown }) => shown === 1);
  vi.advanceTimersByTime(2_000);
  stream.check();
  responses[0]?.write(event(2, 'values'));
  expect((await until(stream, ({ shown }) => shown === 2)).reconnects).toBe(0);
  vi.advanceTimersByTime(2_001);
  stream.check();
  expect((await until(stream, ({ reconnects }) => reconnects === 1)).connection).toBe('open');
  expect(responses).toHaveLength(2);
});

test('a pause receives and counts, and shows it all afterwards', async () => {
  let response: ServerResponse | undefined;
  const stream = await streamOver((connected) => {
    response = connected;
    begin(connected);
    connected.write(event(1, 'values'));
  });
  await until(stream, ({ shown }) => shown === 1);
  stream.pause();
  response?.write(event(2, 'values') + event(3, 'values'));
  const paused = await until(stream, ({ received }) => received === 3);
  expect([paused.shown, paused.isPaused]).toEqual([1, true]);
  stream.resume();
  expect((await until(stream, ({ shown }) => shown === 3)).isPaused).toBe(false);
});

test('an attempt without a start event gets a mark', async () => {
  const stream = await streamOver((response) => {
    begin(response);
    response.end(
      event(7, 'values') + event(1_000_000_001, 'values') + event(1_000_000_002, 'done'),
    );
  });
  expect(textOf(await until(stream, ended))[1]).toBe('- restart {"attempt":2}');
});

test('the memory is bounded: the oldest payloads are dropped first, then rows, and that is reported', async () => {
  const handler: Handler = (response) => {
    begin(response);
    for (let id = 1; id <= 30; id += 1) response.write(event(id, 'custom', `{"n":${id + 100}}`));
    response.end(event(31, 'done'));
  };
  const stream = await streamOver(handler, { limits: { maxEvents: 20, maxSize: 50 } });
  const snapshot = await until(stream, ended);
  const remaining = rows(snapshot);
  expect(snapshot.log.first).toBeGreaterThan(0);
  expect(remaining.length).toBeLessThanOrEqual(20);
  expect(
    remaining.filter(({ isDropped }) => !isDropped).reduce((sum, { size }) => sum + size, 0),
  ).toBeLessThanOrEqual(50);
  expect(snapshot.log.droppedPayloads).toBeGreaterThan(0);
  expect(remaining.at(-1)?.type).toBe('done');
});

test('closing ends the connection', async () => {
  let isClosed: Promise<void> | undefined;
  const stream = await streamOver((response) => {
    isClosed = new Promise((resolve) => response.on('close', () => resolve()));
    begin(response);
    response.write(event(1, 'values'));
  });
  await until(stream, ({ shown }) => shown === 1);
  stream.close();
  await isClosed;
  expect((await until(stream, ({ connection }) => connection === 'closed')).error).toBeUndefined();
});

test('reads from a comment when each event was published, also when it is read afterwards', async () => {
  const at = (ms: number): string => `: at 2026-11-21T12:00:00.${ms}Z\n`;
  const stream = await streamOver((response) => {
    begin(response);
    response.end(
      `${at(100)}${event(1, 'values')}: heartbeat\n\n${event(2, 'values')}${at(350)}${event(3, 'done')}`,
    );
  });
  const startedAt = Date.parse('2026-11-21T12:00:00.000Z');
  const times = rows(await until(stream, ended)).map((row) => row.at && row.at - startedAt);
  expect(times).toEqual([100, undefined, 350]);
});
