import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as nextRound } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { dial, exchange, statusesIn, textOf } from '../../../test/fixtures/raw-http.ts';
import { waitUntil } from '../../../test/fixtures/wait-until.ts';
import { takeTurns } from './request-turns.ts';

const get = (path: string, more = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
const many = (count: number): string =>
  Array.from({ length: count }, (_, index) => get(`/${index}`)).join('');
const REFUSED = 'HTTP/1.1 400 Bad Request\r\n\r\n';
const last = get('/last', 'Connection: close\r\n');

let close: () => Promise<unknown> = async () => undefined;
afterEach(() => close());

/** A server that handles requests so; which were begun is in the list. */
async function serve(
  handle: (path: string, res: ServerResponse) => void,
  limit?: number,
): Promise<{ url: string; begun: string[]; parsed: () => number }> {
  const begun: string[] = [];
  let parsed = 0;
  const turns = takeTurns((req, res) => {
    const { url: path = '' } = req;
    begun.push(path);
    handle(path, res);
  }, limit);
  const server = createServer(turns.handle).listen(0, '127.0.0.1');
  server.on('request', () => (parsed += 1));
  server.on('clientError', (_, socket: Socket) => turns.endBehind(socket) || socket.end(REFUSED));
  await once(server, 'listening');
  close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    begun,
    parsed: () => parsed,
  };
}

it('handles one request of a connection at a time, and responds in order', async () => {
  let active = 0;
  let most = 0;
  const { url, begun } = await serve((path, res) => {
    most = Math.max(most, (active += 1));
    setImmediate(() => {
      active -= 1;
      res.end(path);
    });
  });
  const text = await exchange(url, many(20) + last);
  expect([most, begun.length, statusesIn(text)]).toEqual([1, 21, Array(21).fill(200)]);
  expect(text.indexOf('/7')).toBeLessThan(text.indexOf('/8'));
});

it('lets a request that came alone begin before those that had to wait', async () => {
  const alone = { send: (): unknown => undefined };
  const { url, begun } = await serve((path, res) => {
    if (path === '/0') alone.send();
    res.end();
  });
  const socket = await dial(url);
  const sockets = await Promise.all(Array.from({ length: 20 }, () => dial(url)));
  alone.send = () => {
    alone.send = () => undefined;
    socket.write(get('/alone'));
  };
  await Promise.all(
    sockets.map((one) => {
      one.write(many(20) + last);
      return textOf(one);
    }),
  );
  expect(begun).toHaveLength(20 * 21 + 1);
  expect(begun.indexOf('/alone')).toBeLessThan(100);
});

it('responds to as many as may wait, and then closes the connection', async () => {
  const { url, begun } = await serve((_, res) => setImmediate(() => res.end()), 5);
  const text = await exchange(url, many(50));
  expect(begun).toEqual(['/0', '/1', '/2', '/3', '/4', '/5']);
  expect(statusesIn(text)).toHaveLength(6);
  expect(text.match(/^Connection: close\r$/gm)).toHaveLength(1);
});

it('responds to them however many more come, and parses those no further', async () => {
  const all = Promise.withResolvers<void>();
  const { url, begun, parsed } = await serve((_, res) => void all.promise.then(() => res.end()));
  const socket = await dial(url);
  const text = textOf(socket);
  await new Promise<void>((resolve) => socket.write(many(50_000), () => resolve()));
  all.resolve();
  expect(statusesIn(await text)).toEqual(Array(33).fill(200));
  expect(begun).toHaveLength(33);
  expect(parsed()).toBeLessThan(5_000); // those of the bytes that were read together with the last one
});

describe('what is no request behind requests', () => {
  const wrong = 'no HTTP\r\n\r\n';
  const post = (body: string): string =>
    `POST /post HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${body}`;

  it.each([
    ['by itself', wrong, [400], []],
    ['behind one', get('/0') + wrong, [200], ['/0']],
    ['behind some', many(3) + wrong, [200, 200, 200], ['/0', '/1', '/2']],
    ['in the body of the only one', post('x\r\n'), [400], ['/post']],
    ['in the body of the last one', many(2) + post('x\r\n'), [200, 200], ['/0', '/1']],
  ])('%s: is never taken for the response to one of them', async (_, bytes, statuses, paths) => {
    const { url, begun } = await serve((path, res) => {
      if (path !== '/post') setImmediate(() => setImmediate(() => res.end()));
    });
    expect(statusesIn(await exchange(url, bytes))).toEqual(statuses);
    expect(begun).toEqual(paths);
  });

  it('does not cut off a response that has begun, and comes between two responses', async () => {
    const first = Promise.withResolvers<ServerResponse>();
    const { url } = await serve((path, res) => {
      if (path !== '/0') return void res.end('second');
      res.write('begun, ');
      first.resolve(res);
    });
    const socket = await dial(url);
    const text = textOf(socket);
    socket.write(get('/0') + wrong);
    const res = await first.promise;
    await nextRound();
    res.end('ended');
    expect(await text).toMatch(/begun, [^]*ended/);
  });

  it('leaves those that wait their turn when it comes between two responses', async () => {
    const { url, begun } = await serve((_, res) => {
      // Parsed before the next one begins: `close` comes first, and the next one a round later.
      res.once('close', () => res.req.socket.emit('data', Buffer.from(wrong)));
      res.end();
    });
    expect(statusesIn(await exchange(url, many(3)))).toEqual([200, 200, 200]);
    expect(begun).toEqual(['/0', '/1', '/2']);
  });
});

it('begins nothing for a client that has gone', async () => {
  const first = Promise.withResolvers<ServerResponse>();
  const { url, begun } = await serve((_, res) => first.resolve(res));
  const socket = await dial(url);
  socket.write(many(5));
  const res = await first.promise;
  socket.destroy();
  await once(res, 'close');
  await nextRound();
  await nextRound();
  expect(begun).toEqual(['/0']);
});

it('begins nothing after a response that closes the connection', async () => {
  const { url, begun } = await serve((_, res) => {
    res.setHeader('Connection', 'close');
    res.end();
  });
  expect(statusesIn(await exchange(url, many(5)))).toEqual([200]);
  expect(begun).toEqual(['/0']);
});

it('takes the requests of one after the other without end', async () => {
  const { url, begun } = await serve((_, res) => res.end());
  const socket = await dial(url);
  let responses = 0;
  socket.on('data', (bytes) => (responses += statusesIn(String(bytes)).length));
  for (let count = 1; count <= 100; count += 1) {
    socket.write(get('/'));
    await waitUntil('the answer', 5_000, () => responses === count);
  }
  expect(begun).toHaveLength(100);
});
