import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { dial, statusesIn, textOf } from '../../../test/fixtures/raw-http.ts';
import { dropRest } from './unread-body.ts';

let close: () => Promise<unknown> = async () => undefined;
afterEach(() => close());

/** A server that responds at once, and takes so much of a body afterwards. */
async function serve(limits: Parameters<typeof dropRest>[1]): Promise<string> {
  const server = createServer((req, res) => {
    res.writeHead(413, { 'Content-Length': 0, Connection: 'close' });
    res.flushHeaders();
    void dropRest(req, limits).then(() => res.end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  close = () => new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const head = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n';

it('ends at so many bytes', async () => {
  const socket = await dial(await serve({ bytes: 1_000 }));
  const text = textOf(socket);
  socket.write(head + 'x'.repeat(2_000));
  expect(statusesIn(await text)).toEqual([413]);
});

it('ends after a time', async () => {
  const socket = await dial(await serve({ ms: 50 }));
  const text = textOf(socket);
  socket.write(head);
  expect(statusesIn(await text)).toEqual([413]);
});

it('ends with the body', async () => {
  const socket = await dial(await serve({}));
  const text = textOf(socket);
  socket.write(head + 'x'.repeat(1_000_000));
  expect(statusesIn(await text)).toEqual([413]);
});
