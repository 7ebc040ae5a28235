import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { call } from '../../../../test/fixtures/call.ts';
import { type HttpService, startHttpService } from '../../../../test/fixtures/http-service.ts';
import { exchange } from '../../../../test/fixtures/raw-http.ts';
import { readSse } from '../../../../test/fixtures/read-sse.ts';
import { compositeRunId, type RunUuid, type ThreadId } from '../../../model/ids.ts';
import { jsonText } from '../../../model/json.ts';

interface Shown {
  type: string;
  event_id: string;
  seq: number;
  method: string;
  params: { namespace: string[]; data: Record<string, unknown> };
}

let service: HttpService;
let threadId: ThreadId;
let count = 0;
beforeAll(async () => {
  service = await startHttpService();
});
afterAll(() => service.close());
beforeEach(() => {
  count += 1;
  threadId = `thread_${count}` as ThreadId;
});

const pathOf = (rest: string) => `${service.url}/compat/langgraph/threads/${threadId}/${rest}`;

async function command(method: string, params: object = {}): Promise<Record<string, unknown>> {
  const { status, body } = await call(pathOf('commands'), 'POST', { id: 7, method, params });
  expect(status).toBe(200);
  return body as Record<string, unknown>; // an envelope of the protocol
}

async function start(params: object = {}): Promise<RunUuid> {
  const response = await command('run.start', { assistant_id: 'echo', input: { a: 1 }, ...params });
  expect(response).toMatchObject({ type: 'success', id: 7 });
  const { run_id: id } = response['result'] as { run_id: RunUuid };
  service.streams.open(compositeRunId(threadId, id));
  return id;
}

function emit(run: RunUuid, id: number, mode: string, data: unknown): void {
  const event = { id, mode, ns: '', data: jsonText(JSON.stringify(data)), at: Date.now() };
  service.streams.append(compositeRunId(threadId, run), event);
}

const complete = (run: RunUuid): void =>
  service.engine.endRun(threadId, run, { status: 'completed', output: jsonText('{}') });
const ask = (run: RunUuid): void =>
  service.engine.endRun(threadId, run, {
    status: 'interrupted',
    output: jsonText('{}'),
    interrupts: [{ id: 'q', value: 'Sure?' }],
  });
const short = ({ method, params }: Shown): string =>
  method === 'lifecycle' ? String(params.data['event']) : method;

/** What a stream has up to the event that `last` names. */
async function events(
  wanted: object,
  last: string,
  onOpen?: () => void | Promise<void>,
): Promise<Shown[]> {
  const { events: found } = await readSse(pathOf('stream/events'), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(wanted),
    until: (_, data) => short(data as Shown) === last,
    ...(onOpen && { onOpen }),
  });
  return found.map(({ data }) => data as Shown); // frames of the protocol
}

describe('a stream of events', () => {
  it('of a thread that does not exist yet has its first run, and the next one', async () => {
    const channels = ['values', 'updates', 'lifecycle'];
    const found = await events({ channels }, 'updates', async () => {
      const first = await start();
      emit(first, 1, 'values', { a: 1 });
      complete(first);
      emit(await start(), 1, 'updates', { node: {} });
    });
    expect(found.map(short)).toEqual(['running', 'values', 'completed', 'running', 'updates']);
    const seqs = found.map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    expect(new Set(found.map((one) => one.event_id)).size).toBe(found.length);
  });

  it('begins with the newest run, and continues after what the reader has', async () => {
    const old = await start();
    complete(old);
    const run = await start();
    emit(run, 1, 'values', { a: 1 });
    emit(run, 2, 'values', { a: 2 });
    complete(run);
    const channels = ['values', 'lifecycle'];
    const found = await events({ channels }, 'completed');
    expect(found.map(short)).toEqual(['running', 'values', 'values', 'completed']);
    const rest = await events({ channels, since: found[1]?.seq }, 'completed');
    expect(rest).toEqual(found.slice(2));
  });

  it('of the status alone has the end of a run that a command started once, and questions', async () => {
    const channels = ['lifecycle', 'input'];
    complete(await start());
    expect((await events({ channels }, 'completed')).map(short)).toEqual(['running', 'completed']);
    const found = await events({ channels }, 'interrupted', async () => {
      const run = await start();
      emit(run, 1, 'values', { __interrupt__: [{ id: 'q', value: 'Sure?' }] });
      ask(run);
    });
    // The end of the run before is no news.
    expect(found.map(short)).toEqual(['running', 'input.requested', 'interrupted']);
    expect((await events({ channels }, 'interrupted')).map(short)).toContain('input.requested');
  });

  it('goes on with the next run when the one that it follows is removed', async () => {
    const found = await events({ channels: ['lifecycle', 'values'] }, 'values', async () => {
      const first = await start();
      await call(pathOf(`runs/${first}`), 'DELETE');
      complete(first);
      await call(pathOf(`runs/${first}`), 'DELETE');
      emit(await start(), 1, 'values', { a: 1 });
    });
    expect(found.map(short).at(-1)).toBe('values');
  });

  it('is refused for channels that do not exist', async () => {
    const { status, body } = await call(pathOf('stream/events'), 'POST', { channels: ['all'] });
    expect([status, body]).toMatchObject([400, { code: 'invalid_request' }]);
  });
});

describe('a command', () => {
  it('says up to which event the runs before have been', async () => {
    const response = await command('run.start', { assistant_id: 'echo', input: {} });
    const { applied_through_seq: through } = response['meta'] as { applied_through_seq: number };
    const channels = ['lifecycle', 'values'];
    const { run_id: run } = response['result'] as { run_id: RunUuid };
    service.streams.open(compositeRunId(threadId, run));
    emit(run, 1, 'values', {});
    const [first] = await events({ channels, since: through }, 'running');
    expect(first?.seq).toBeGreaterThan(through);
  });

  it('answers the thread that asks, by an input or by its question', async () => {
    ask(await start());
    const startOf = async (run: RunUuid) => (await service.engine.requestOf(threadId, run)).start;
    const second = await start({ input: 'yes' });
    expect(await startOf(second)).toEqual({ kind: 'command', json: '{"resume":"yes"}' });
    ask(second);
    const wrong = await command('input.respond', { interrupt_id: 'other', response: 1 });
    expect(wrong).toMatchObject({ type: 'error', id: 7, error: 'no_such_interrupt' });
    const asked = { namespace: [], interrupt_id: 'q', response: { b: 2 }, update: { c: 1.0 } };
    const { result } = await command('input.respond', asked);
    const { run_id: third } = result as { run_id: RunUuid };
    expect(await startOf(third)).toEqual({
      kind: 'command',
      json: '{"resume":{"q":{"b":2}},"update":{"c":1}}',
    });
  });

  it('that runs from a checkpoint brings an input, and no answer', async () => {
    ask(await start());
    const config = { configurable: { checkpoint_id: 'c' } };
    const asked = { assistant_id: 'echo', input: { b: 1 }, config };
    expect(await command('run.start', asked)).toMatchObject({ error: 'no_such_checkpoint' });
    service.engine.saveCheckpoints(threadId, [{ id: 'c', values: jsonText('{}') }]);
    const run = await start(asked);
    expect((await service.engine.requestOf(threadId, run)).start.kind).toBe('input');
  });

  it('reads the state', async () => {
    await start();
    const response = await command('state.get', { namespace: [], keys: ['messages'] });
    expect(response).toMatchObject({ type: 'success', result: { values: {} } });
  });

  it('that cannot be carried out has one of the protocol’s errors', async () => {
    const errorOf = async (method: string, params?: object) =>
      (await command(method, params))['error'];
    expect(await errorOf('run.start', { input: {} })).toBe('invalid_argument');
    expect(await errorOf('run.start', { assistant_id: 'nothing', input: {} })).toBe(
      'invalid_argument',
    );
    expect(await errorOf('input.respond', {})).toBe('invalid_argument');
    expect(await errorOf('input.respond', { interrupt_id: 'q' })).toBe('no_such_interrupt');
    expect(await errorOf('state.fork', {})).toBe('not_supported');
    expect(await errorOf('nothing', {})).toBe('unknown_command');
    expect(await errorOf('constructor', {})).toBe('unknown_command');
    const response = await command('state.get', { keys: ['constructor'] });
    expect(response).toMatchObject({ type: 'success', result: { values: {} } });
    const { status } = await call(pathOf('commands'), 'POST', { method: 'run.start' });
    expect(status).toBe(400);
  });
});

describe('a WebSocket', () => {
  const socketUrl = () => pathOf('stream/events').replace('http', 'ws');

  async function opened(headers: Record<string, string> = {}) {
    const socket = new WebSocket(socketUrl(), { headers });
    const messages: Record<string, unknown>[] = [];
    const waiting: { test: (one: Record<string, unknown>) => boolean; done: () => void }[] = [];
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as Record<string, unknown>; // frames are objects
      messages.push(message);
      for (const { test, done } of waiting) if (test(message)) done();
    });
    await once(socket, 'open');
    const until = (test: (one: Record<string, unknown>) => boolean) =>
      new Promise<void>((done) => {
        if (messages.some(test)) done();
        else waiting.push({ test, done });
      });
    const send = (id: number, method: string, params: object) =>
      socket.send(JSON.stringify({ id, method, params }));
    return { socket, messages, until, send };
  }

  it('takes commands, and has the events of its subscriptions', async () => {
    const { socket, messages, until, send } = await opened();
    send(1, 'subscription.subscribe', { channels: ['values', 'lifecycle'] });
    send(2, 'run.start', { assistant_id: 'echo', input: {} });
    await until(({ id }) => id === 2);
    const results = messages.map(({ result }) => ({ ...(result as object) }));
    const { subscription_id: name, run_id: run } = Object.assign({}, ...results) as {
      subscription_id: string;
      run_id: RunUuid;
    };
    service.streams.open(compositeRunId(threadId, run));
    emit(run, 1, 'values', { a: 1 });
    await until(({ method }) => method === 'values');
    send(3, 'subscription.unsubscribe', { subscription_id: name });
    send(4, 'subscription.unsubscribe', { subscription_id: name });
    await until(({ id }) => id === 4);
    expect(messages.find(({ id }) => id === 4)).toMatchObject({ error: 'no_such_subscription' });
    socket.send('nothing');
    await until(({ type, id }) => type === 'error' && id === null);
    socket.close();
    await once(socket, 'close');
  });

  it('closes after a frame that is too large, and after a handshake that is none', async () => {
    const { socket } = await opened();
    socket.send('x'.repeat(9 * 1024 * 1024));
    const [code] = (await once(socket, 'close')) as [number];
    expect(code).toBe(1009);
    const lines = [
      `GET /compat/langgraph/threads/${threadId}/stream/events HTTP/1.1`,
      ...['Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket', '', ''],
    ];
    expect(await exchange(service.url, lines.join('\r\n'))).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect((await call(`${service.url}/live`)).status).toBe(200);
  });

  it('takes no binary frames, and no text that a body may not be', async () => {
    const { socket, messages, until } = await opened();
    socket.send(`{"id":1,"method":"run.start","params":${'['.repeat(600)}${']'.repeat(600)}}`);
    await until(({ type }) => type === 'error');
    expect(JSON.stringify(messages)).toContain('nested deeper');
    socket.send(Buffer.from('{}'), { binary: true });
    const [code] = (await once(socket, 'close')) as [number];
    expect(code).toBe(1003);
  });

  it('behind a request without a response closes the connection, and nothing else', async () => {
    const upgrade = [
      `GET /compat/langgraph/threads/${threadId}/stream/events HTTP/1.1`,
      ...['Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket', '', ''],
    ].join('\r\n');
    await exchange(service.url, `GET /ready HTTP/1.1\r\nHost: localhost\r\n\r\n${upgrade}`).catch(
      () => undefined,
    );
    expect((await call(`${service.url}/live`)).status).toBe(200);
  });

  it('is not asked for by a request with a body, which is served as if it had not asked', async () => {
    const body = '{"metadata":{"a":"b"}}';
    const lines = [
      'POST /threads HTTP/1.1',
      ...['Host: localhost', 'Connection: Upgrade, close', 'Upgrade: websocket'],
      ...['Content-Type: application/json', `Content-Length: ${body.length}`, '', body],
    ];
    expect(await exchange(service.url, lines.join('\r\n'))).toContain('"metadata":{"a":"b"}');
  });

  it('is refused to pages of other origins, and is no path to read', async () => {
    const socket = new WebSocket(socketUrl(), { origin: 'https://elsewhere.example' });
    const [, response] = (await once(socket, 'unexpected-response')) as [
      unknown,
      { statusCode: number; destroy: () => void },
    ];
    expect(response.statusCode).toBe(403);
    response.destroy();
    expect((await call(pathOf('stream/events'))).status).toBe(400);
  });

  it('to a path that has none gets the response of that path', async () => {
    const socket = new WebSocket(`${service.url}/live`.replace('http', 'ws'));
    const [, response] = (await once(socket, 'unexpected-response')) as [
      unknown,
      { statusCode: number; destroy: () => void },
    ];
    expect(response.statusCode).toBe(200);
    response.destroy();
  });
});
