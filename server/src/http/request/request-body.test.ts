// Bodies that are too large: when they are refused, and that the client gets to know.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import * as zlib from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { call } from '../../../test/fixtures/call.ts';
import { startHttpService, type HttpService } from '../../../test/fixtures/http-service.ts';
import { dial, statusesIn, textOf } from '../../../test/fixtures/raw-http.ts';
import { waitUntil } from '../../../test/fixtures/wait-until.ts';
import { BUNDLE_BODY_BYTES } from '../../model/limits/bundle-limits.ts';
import { anonymousPrincipal } from '../../model/principal.ts';
import type { Principal } from '../../model/principal.ts';
import type { AgentAppPort } from '../agent-app/agent-app.ts';
import type { AppOptions } from '../app.ts';

const MIB = 1024 * 1024;
const bodyLimitBytes = 64 * 1024;
const json = 'Content-Type: application/json\r\n';
const chunked = 'Transfer-Encoding: chunked\r\n';
const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;

/** An app that reads what it is sent. */
const reading: AgentAppPort = {
  async http({ body }, _, response) {
    for await (const _ of body);
    await response({ status: 200, headers: [] }, (async function* () {})());
  },
};

let service: HttpService;
afterEach(() => service.close());

/** The head of a POST has been sent to a fresh service. */
async function begin(
  path: string,
  headers: string,
  options: Partial<AppOptions> = {},
): Promise<Socket> {
  const agentApp = { port: reading, isTokenShown: false };
  service = await startHttpService({ bodyLimitBytes, agentApp, ...options });
  const socket = await dial(service.url);
  socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`);
  return socket;
}

/** The first output of the server, while the body is still being sent. */
async function firstOutput(socket: Socket): Promise<string> {
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return bytes.toString();
}

describe.each(['/threads', '/of-the-app'])('a body for %s that is too large', (path) => {
  it('is refused before it arrives, when its length is too large', async () => {
    const socket = await begin(path, `${json}Content-Length: 400000000\r\n`);
    expect(statusesIn(await firstOutput(socket))).toEqual([413]);
  });

  it('is refused as soon as it is, when it has no length', async () => {
    const socket = await begin(path, json + chunked);
    socket.write(chunk + chunk);
    const received = await firstOutput(socket);
    expect(received).toMatch(/^HTTP\/1\.1 413 [^]*\r\nConnection: close\r\n/);
  });

  it('is refused so that also a client sees it that sends everything first', async () => {
    const socket = await begin(path, `${json}Content-Length: ${20 * MIB}\r\n`);
    const body = Buffer.alloc(20 * MIB, 'x');
    await new Promise((resolve) => socket.write(body, resolve));
    const ended = once(socket, 'end'); // not a reset
    expect(statusesIn(await textOf(socket))).toEqual([413]);
    await ended;
  });
});

it('a bundle that is too large is refused before it comes, with the command that takes it', async () => {
  const length = BUNDLE_BODY_BYTES + 1;
  const socket = await begin(
    '/bundles',
    `Content-Type: application/gzip\r\nContent-Length: ${length}\r\n`,
  );
  const received = await firstOutput(socket);
  expect(statusesIn(received)).toEqual([413]);
  expect(received).toContain('service threads import');
});

it('what is small only as long as it is packed is refused as soon as it is not', async () => {
  const socket = await begin('/threads', `${json}${chunked}Content-Encoding: gzip\r\n`);
  const packed = zlib.gzipSync(Buffer.alloc(20 * MIB));
  socket.write(`${packed.length.toString(16)}\r\n`);
  socket.write(packed); // and no end
  expect(statusesIn(await firstOutput(socket))).toEqual([413]);
});

it('what unpacks to nothing is refused, too', async () => {
  const socket = await begin('/threads', `${json}${chunked}Content-Encoding: deflate\r\n`);
  const nothing = Buffer.from([0x00, 0x00, 0x00, 0xff, 0xff]); // a stored block of no bytes
  const packed = Buffer.concat([
    Buffer.from([0x78, 0x01]),
    ...Array.from({ length: bodyLimitBytes / 4 }, () => nothing),
  ]);
  socket.write(`${packed.length.toString(16)}\r\n`);
  socket.write(packed);
  expect(statusesIn(await firstOutput(socket))).toEqual([413]);
});

it.each([
  ['plain', '{"metadata', ''],
  ['packed', zlib.gzipSync('{}').subarray(0, 10), 'Content-Encoding: gzip\r\n'],
])('a client that goes while it sends a %s body is no failure', async (_, half, encoding) => {
  const arrived = Promise.withResolvers<void>();
  const authenticate = (): Principal => {
    arrived.resolve();
    return anonymousPrincipal;
  };
  const socket = await begin('/threads', json + chunked + encoding, {
    authenticator: { authenticate },
  });
  socket.write('a\r\n');
  socket.write(half);
  await arrived.promise;
  socket.destroy();
  await waitUntil('the access line', 5_000, () => service.logged.length > 0);
  expect(service.logged).toEqual([expect.objectContaining({ msg: 'request', aborted: true })]);
});

it('no client that has the whole response is logged as gone', async () => {
  const socket = await begin('/threads', `${json}Content-Length: 400000000\r\n`);
  await firstOutput(socket);
  await waitUntil('the access line', 5_000, () => service.logged.length > 0);
  expect(service.logged).toMatchObject([{ status: 413 }]);
  expect(service.logged).not.toMatchObject([{ aborted: true }]);
});

it('what else is refused before its body has come leaves the connection as it is', async () => {
  const socket = await begin('/threads', 'Content-Type: text/plain\r\nContent-Length: 10\r\n');
  const text = textOf(socket);
  socket.write('0123456789GET /live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  expect(statusesIn(await text)).toEqual([415, 200]);
});

it('a body that its encoding does not fit leaves it, too', async () => {
  const socket = await begin('/threads', `${json}Content-Encoding: gzip\r\nContent-Length: 9\r\n`);
  const text = textOf(socket);
  socket.write('plain');
  socket.write('textGET /live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  expect(statusesIn(await text)).toEqual([400, 200]);
});

it.each(['gzip', 'deflate', 'br', 'zstd', 'identity', 'GZIP'])('%s is taken', async (encoding) => {
  service = await startHttpService({ bodyLimitBytes });
  const pack: Record<string, (body: string) => Uint8Array> = {
    gzip: zlib.gzipSync,
    deflate: zlib.deflateSync,
    br: zlib.brotliCompressSync,
    zstd: zlib.zstdCompressSync,
    identity: (body) => Buffer.from(body),
  };
  const body = pack[encoding.toLowerCase()]?.('{"thread_id":"packed"}');
  const headers = { 'Content-Type': 'application/json', 'Content-Encoding': encoding };
  const response = await fetch(`${service.url}/threads`, {
    ...{ method: 'POST', headers },
    body: new Uint8Array(body ?? []),
  });
  expect(response.status).toBe(201);
  expect((await call(`${service.url}/threads/packed`)).status).toBe(200);
});
