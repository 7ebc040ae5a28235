// The manifest's `http.app`, over real gRPC streams in this process: no guest is needed.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentials, Server, ServerCredentials, type ClientDuplexStream } from '@grpc/grpc-js';
import { afterEach, expect, it } from 'vitest';
import { protoPath } from '../test/memory-host.ts';
import { fetchApp, type HttpCall, type HttpRequestPart } from './fetch-app.ts';
import { loadGuestProto } from './guest-proto.ts';
import { runContext } from './run-context.ts';
import type { SdkClients } from './sdk-clients.ts';
import type { ErrorMessage } from './wire.ts';

interface ResponsePart {
  head?: { status: number; headers: { name: string; value: Uint8Array }[] } | null;
  body?: Uint8Array;
  error?: ErrorMessage | null;
}
type Call = ClientDuplexStream<HttpRequestPart, ResponsePart>;

const closing: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** The tokens of the requests whose clients may call the host. */
const opened = new Set<string>();
const clients: SdkClients = {
  open(token) {
    opened.add(token);
    return { origin: `http://${token.replaceAll(' ', '-')}`, close: () => opened.delete(token) };
  },
};

/** Begins a request to an app. */
async function begin(app: unknown, head: object = {}): Promise<Call> {
  const folder = await mkdtemp(join(tmpdir(), 'fetch-'));
  const { Agents } = loadGuestProto(protoPath);
  const server = new Server();
  const serve = fetchApp(app, clients);
  server.addService(Agents.service, { Http: (call: HttpCall) => void serve(call) });
  const address = `unix:${join(folder, 's.sock')}`;
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    );
  });
  const client = new Agents(address, credentials.createInsecure());
  closing.push(() => {
    client.close();
    server.forceShutdown();
    return rm(folder, { recursive: true });
  });
  const call = (client as unknown as { Http(): Call }).Http(); // proto-loader knows no types
  call.on('error', () => undefined);
  const rawPath = Buffer.from('/a%20b');
  call.write({
    head: {
      method: 'POST',
      rawPath,
      query: 'q=1',
      headers: [],
      userJson: '',
      scheme: 'http',
      token: 'its token',
      ...head,
    },
  });
  return call;
}

async function all(
  call: Call,
): Promise<{ status: number | undefined; text: string; error?: string }> {
  const parts: ResponsePart[] = [];
  for await (const part of call as AsyncIterable<ResponsePart>) parts.push(part);
  const error = parts.find((part) => part.error)?.error?.message;
  const text = Buffer.concat(parts.map(({ body }) => body ?? Buffer.alloc(0))).toString();
  return { status: parts[0]?.head?.status, text, ...(error !== undefined && { error }) };
}

it('has the request as fetch has it, and who makes it', async () => {
  const app = {
    fetch: async (request: Request, env: { auth: { user: { identity: string } } }) => {
      const seen = [request.method, request.url, request.headers.get('x-a'), await request.text()];
      return Response.json([...seen, env.auth.user.identity], { status: 201 });
    },
  };
  const headers = [
    { name: 'host', value: Buffer.from('localhost:1') },
    { name: 'x-a', value: Buffer.from('é', 'latin1') },
  ];
  const call = await begin(app, { headers, userJson: '{"identity":"ada"}' });
  call.write({ body: Buffer.from('whole') });
  call.write({ end: true });
  const { status, text } = await all(call);
  expect(status).toBe(201);
  expect(JSON.parse(text)).toEqual(['POST', 'http://localhost:1/a%20b?q=1', 'é', 'whole', 'ada']);
});

it('lets clients within the app call the host until the response is complete', async () => {
  const seen: unknown[] = [];
  const note = (): void => void seen.push(runContext.getStore()?.origin, opened.has('its token'));
  const app = {
    async fetch(request: Request) {
      await request.text();
      note();
      const pull = (controller: ReadableStreamDefaultController): void => {
        note();
        controller.close();
      };
      return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
    },
  };
  const call = await begin(app);
  call.write({ end: true });
  expect(await all(call)).toEqual({ status: 200, text: '' });
  expect(seen).toEqual(['http://its-token', true, 'http://its-token', true]);
  expect(opened).toEqual(new Set());
});

it('lets both bodies flow at the same time', async () => {
  const call = await begin({ fetch: (request: Request) => new Response(request.body) });
  const received = call[Symbol.asyncIterator]() as AsyncIterator<ResponsePart>;
  expect((await received.next()).value).toMatchObject({ head: { status: 200 } });
  for (const part of ['one', 'two']) {
    call.write({ body: Buffer.from(part) });
    expect((await received.next()).value).toMatchObject({ body: Buffer.from(part) });
  }
  call.write({ end: true });
  expect((await received.next()).done).toBe(true);
});

it('sends large bodies in parts', async () => {
  const text = 'x'.repeat(1_000_000);
  const call = await begin({ fetch: () => new Response(text) }, { method: 'GET' });
  const sizes: number[] = [];
  for await (const { body } of call as AsyncIterable<ResponsePart>)
    sizes.push(body?.byteLength ?? 0);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(1_000_000);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(256 * 1024);
});

it.each<[string, () => unknown, string]>([
  ['raises', () => Promise.reject(new Error('boom')), 'boom'],
  ['returns something else', () => 'text', 'fetch returned no Response'],
])('sends the error when it %s', async (_, fetch, error) => {
  expect(await all(await begin({ fetch }, { method: 'GET' }))).toMatchObject({ error });
});

it('notifies the app when the client disconnects', async () => {
  const gone = Promise.withResolvers<void>();
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.from('begun')),
    cancel: () => gone.resolve(),
  });
  const call = await begin({ fetch: () => new Response(body) });
  const received = call[Symbol.asyncIterator]() as AsyncIterator<ResponsePart>;
  await received.next();
  expect((await received.next()).value).toMatchObject({ body: Buffer.from('begun') });
  call.cancel();
  await gone.promise;
});

it('does not take half of a body for a whole one', async () => {
  const read = Promise.withResolvers<unknown>();
  const call = await begin({
    async fetch(request: Request) {
      await request.text().then(read.resolve, read.reject);
      return new Response();
    },
  });
  call.write({ body: Buffer.from('half') });
  call.end();
  await expect(read.promise).rejects.toThrow('the client disconnected');
});

it.each([{}, undefined, { fetch: 1 }])('is not served without fetch: %j', (app) => {
  expect(() => fetchApp(app, clients)).toThrow('no fetch method');
});
