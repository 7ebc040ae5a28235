import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { deferred } from '../../../test/fixtures/deferred.ts';
import {
  exampleBundles,
  exampleDescriptions,
  exampleModels,
  type HttpService,
  startHttpService,
} from '../../../test/fixtures/http-service.ts';
import { call } from '../../../test/fixtures/call.ts';
import { dial, exchange, statusesIn, textOf } from '../../../test/fixtures/raw-http.ts';
import { readSse } from '../../../test/fixtures/read-sse.ts';
import { parseRunId } from '../../model/ids.ts';
import { jsonText } from '../../model/json.ts';
import { createApp } from '../app.ts';
import { CONNECTION_LIMITS } from './connection-limits.ts';
import { listen } from './server.ts';

let service: HttpService | undefined;
afterEach(() => service?.close());

async function statelessRun(url: string): Promise<string> {
  const response = await call(`${url}/runs`, 'POST', {});
  return (response.body as { run_id: string }).run_id;
}

describe('close', () => {
  it('lets requests in flight finish, and takes no new ones', async () => {
    const { url, engine, listener } = (service = await startHttpService());
    const runId = await statelessRun(url);
    const waiting = call(`${url}/runs/${runId}/wait`);
    const opened = deferred();
    const reading = readSse(`${url}/runs/${runId}/stream`, { onOpen: opened.resolve });
    await opened.promise;
    const closing = listener.close({ drainMs: 10_000 });
    await expect(call(`${url}/health`)).rejects.toThrow('fetch failed');
    const key = parseRunId(runId);
    if (key) {
      engine.endRun(key.threadId, key.runUuid, { status: 'completed', output: jsonText('{}') });
    }
    expect((await waiting).body).toMatchObject({ status: 'completed' });
    expect((await reading).events.at(-1)).toMatchObject({ event: 'done' });
    await closing;
  });

  it('ends what remains after the drain in an orderly way', async () => {
    const { url, listener } = (service = await startHttpService());
    const runId = await statelessRun(url);
    const waiting = call(`${url}/runs/${runId}/wait`);
    const opened = deferred();
    const reading = readSse(`${url}/runs/${runId}/stream`, { onOpen: opened.resolve });
    await opened.promise;
    await listener.close({ drainMs: 20 });
    const response = await waiting;
    expect([response.status, response.body]).toMatchObject([503, { code: 'service_stopping' }]);
    expect((await reading).events).toEqual([
      {
        id: undefined,
        event: 'error',
        data: { error: 'The service is stopping.', code: 'service_stopping' },
      },
    ]);
  });

  it('lets a later call shorten the drain', async () => {
    const { url, listener } = (service = await startHttpService());
    const runId = await statelessRun(url);
    const opened = deferred();
    const reading = readSse(`${url}/runs/${runId}/stream`, { onOpen: opened.resolve });
    await opened.promise;
    const first = listener.close({ drainMs: 60_000 });
    await listener.close({ drainMs: 0 });
    await first;
    expect((await reading).events).toMatchObject([{ event: 'error' }]);
  });

  it('refuses a request on a connection that is kept alive', async () => {
    const { url, listener, engine } = (service = await startHttpService());
    const runId = await statelessRun(url);
    const arrived = deferred();
    const whenSettled = engine.runs.whenSettled.bind(engine.runs);
    engine.runs.whenSettled = (...asked) => {
      arrived.resolve();
      return whenSettled(...asked);
    };
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const status = (path: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const sent = request(`${url}${path}`, { agent }, (response) => {
          response.resume().once('end', () => resolve(response.statusCode));
        });
        sent.once('error', reject).end();
      });
    const waiting = status(`/runs/${runId}/wait?wait=100ms`);
    const queued = status('/threads/x').catch(() => 'closed');
    await arrived.promise;
    const closing = listener.close({ drainMs: 5_000 });
    expect(await waiting).toBe(504);
    expect([503, 'closed']).toContain(await queued);
    await closing;
    agent.destroy();
  });

  it('closes idle connections at once, and notifies those in flight that it closes', async () => {
    const { url, listener, engine } = (service = await startHttpService());
    const idle = await dial(url);
    idle.write('GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(idle, 'data');
    const runId = await statelessRun(url);
    const arrived = deferred();
    const whenSettled = engine.runs.whenSettled.bind(engine.runs);
    engine.runs.whenSettled = (...asked) => {
      arrived.resolve();
      return whenSettled(...asked);
    };
    const waiting = await dial(url);
    waiting.write(`GET /runs/${runId}/wait HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await arrived.promise;
    const closing = listener.close({ drainMs: 10_000 });
    await once(idle, 'close');
    const key = parseRunId(runId);
    if (key) {
      engine.endRun(key.threadId, key.runUuid, { status: 'completed', output: jsonText('{}') });
    }
    expect(await textOf(waiting)).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*Connection: close\r\n/i);
    await closing;
  });

  it('is idempotent', async () => {
    service = await startHttpService();
    const { listener } = service;
    const closing = [listener.close({ drainMs: 0 }), listener.close({ drainMs: 0 })];
    await expect(Promise.all(closing)).resolves.toHaveLength(2);
  });
});

describe('a client', () => {
  /** Sends this, and then one byte after the other for as long as the connection is open. */
  async function dripped(url: string, head: string, more: string): Promise<string> {
    const socket = await dial(url);
    const text = textOf(socket);
    socket.write(head);
    const drip = setInterval(() => socket.write(more), 5);
    return text.finally(() => clearInterval(drip));
  }

  it('whose headers take too long gets 408, however little is missing', async () => {
    service = await startHttpService({}, { limits: { headersMs: 60, checkMs: 20 } });
    const text = await dripped(service.url, 'GET /live HTTP/1.1\r\nHost: lo', 'x');
    expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(text).toContain('"message":"The request took too long to arrive."');
  });

  it('whose body takes too long gets 408', async () => {
    const limits = { headersMs: 50, requestMs: 60, checkMs: 20 };
    service = await startHttpService({}, { limits });
    const head = 'Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 99999';
    const text = await dripped(service.url, `POST /threads HTTP/1.1\r\n${head}\r\n\r\n{`, ' ');
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('has these times, as in the decisions', () => {
    const { headersMs, requestMs, keepAliveMs, handshakeMs, maxHeaderBytes } = CONNECTION_LIMITS;
    const seconds = [headersMs, requestMs, keepAliveMs, handshakeMs].map((ms) => ms / 1_000);
    expect([...seconds, maxHeaderBytes]).toEqual([15, 5 * 60, 65, 10, 32 * 1024]);
  });

  it('that sends nothing is disconnected', async () => {
    service = await startHttpService({}, { limits: { headersMs: 60, checkMs: 20 } });
    const received = textOf(await dial(service.url));
    expect(await received).toMatch(/^(HTTP\/1\.1 408 |$)/);
  });

  it('that keeps its connection without using it is disconnected', async () => {
    service = await startHttpService({}, { limits: { keepAliveMs: 60, checkMs: 20 } });
    const socket = await dial(service.url);
    socket.write('GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 200 [^]*Connection: keep-alive/);
  });

  it('with too many headers gets 431, and one with a large token does not', async () => {
    service = await startHttpService();
    const status = async (bytes: number): Promise<string | undefined> => {
      const socket = await dial(service?.url ?? '');
      const head = `Host: localhost\r\nConnection: close\r\nAuthorization: Bearer ${'x'.repeat(bytes)}`;
      socket.write(`GET /live HTTP/1.1\r\n${head}\r\n\r\n`);
      return /^HTTP\/1\.1 (\d+)/.exec(await textOf(socket))?.[1];
    };
    expect([await status(30_000), await status(40_000)]).toEqual(['200', '431']);
  });

  it('that speaks something else gets 400', async () => {
    service = await startHttpService();
    const socket = await dial(service.url);
    socket.write('\u0016\u0003\u0001 hello\r\n\r\n');
    expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  });

  it('whose first request is good and whose second is none gets one response, to the first', async () => {
    service = await startHttpService();
    const good = 'GET /agents HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const text = await exchange(service.url, `${good}hello\r\n\r\n`);
    expect(statusesIn(text)).toEqual([200]);
    expect(text).toMatch(/\r\nConnection: close\r\n/i);
  });
});

describe('listen', () => {
  it('reports in one sentence that the port is taken', async () => {
    service = await startHttpService();
    const { port } = service.listener.address;
    const { engine, streams, output } = service;
    const agents = { list: () => [], resolve: () => Promise.reject(new Error('none')) as never };
    const app = createApp({
      engine,
      stateUpdates: engine.stateUpdates,
      stateReads: {
        async *describe() {
          yield* [];
        },
      },
      streams,
      output,
      agents,
      assistants: undefined as never, // no request comes
      crons: undefined as never, // likewise
      webhooks: undefined as never, // likewise
      bundles: exampleBundles(engine),
      descriptions: exampleDescriptions,
      models: exampleModels,
      logger: (await import('pino')).default({ enabled: false }),
      version: '0',
      listenHost: '127.0.0.1',
      health: async () => ({}),
    });
    await expect(listen({ app, host: '127.0.0.1', port })).rejects.toMatchObject({
      code: 'config_invalid',
      message: `Cannot listen on 127.0.0.1, port ${port}: another process listens there; choose another --api-addr.`,
    });
  });
});
