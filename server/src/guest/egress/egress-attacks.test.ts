import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import {
  listenForBytes,
  listenForRequests,
  openTunnelTo,
  startEgressLab,
  textOf,
  textUntil,
} from '../../../test/fixtures/egress-lab.ts';
import {
  EGRESS_CONNECTIONS,
  EGRESS_LOG_HOSTS,
  EGRESS_LOOKUPS,
} from '../../model/limits/egress-limits.ts';

describe('requests that may be read in two ways', () => {
  it.each([
    ['two lengths', 'POST http://HOST/ HTTP/1.1', 'Content-Length: 4\r\nContent-Length: 5'],
    [
      'a length and chunks',
      'POST http://HOST/ HTTP/1.1',
      'Content-Length: 4\r\nTransfer-Encoding: chunked',
    ],
    [
      'chunks and a length',
      'POST http://HOST/ HTTP/1.1',
      'Transfer-Encoding: chunked\r\nContent-Length: 4',
    ],
    ['chunks twice', 'POST http://HOST/ HTTP/1.1', 'Transfer-Encoding: chunked, chunked'],
    ['a coding that is not last', 'POST http://HOST/ HTTP/1.1', 'Transfer-Encoding: chunked, x'],
    ['another coding', 'POST http://HOST/ HTTP/1.1', 'Transfer-Encoding: gzip, chunked'],
    ['a negative length', 'POST http://HOST/ HTTP/1.1', 'Content-Length: -4'],
    ['a length in words', 'POST http://HOST/ HTTP/1.1', 'Content-Length: 0x4'],
    ['a space before the colon', 'POST http://HOST/ HTTP/1.1', 'Content-Length : 4'],
    [
      'a header without end',
      'POST http://HOST/ HTTP/1.1',
      'Content-Length: 4\r\n Transfer-Encoding: chunked',
    ],
    ['a line that ends by CR', 'POST http://HOST/ HTTP/1.1', 'X: 1\rContent-Length: 4'],
    ['a target with a space', 'GET http://HOST/ x HTTP/1.1', 'X: 1'],
    ['a target with credentials', 'GET http://user@HOST/ HTTP/1.1', 'X: 1'],
    ['no host', 'GET / HTTP/1.1', 'Host: HOST'],
    ['https', 'GET https://HOST/ HTTP/1.1', 'X: 1'],
    ['a tunnel with credentials', 'CONNECT user@HOST HTTP/1.1', 'X: 1'],
    ['a tunnel to a URL', 'CONNECT http://HOST/ HTTP/1.1', 'X: 1'],
    ['a tunnel with a path', 'CONNECT HOST/ HTTP/1.1', 'X: 1'],
  ])('%s', async (_, line, headers) => {
    let reached = 0;
    const port = await listenForRequests((_request, response) => {
      reached += 1;
      response.end();
    });
    const lab = await startEgressLab({ allow: ['*', '127.0.0.1'] });
    const bytes = `${line}\r\nHost: x\r\n${headers}\r\n\r\n0\r\n\r\nGET http://HOST/ HTTP/1.1\r\n\r\n`;
    const text = await lab.exchange(bytes.replaceAll('HOST', `127.0.0.1:${port}`));
    expect(text).toMatch(/^HTTP\/1\.1 (400|501) /);
    expect(reached).toBe(0);
  });

  it('a second request behind the first is not served', async () => {
    const seen: unknown[] = [];
    const port = await listenForRequests((request, response) => {
      seen.push(request.url);
      response.end();
    });
    const lab = await startEgressLab({ allow: [`127.0.0.1:${port}`] });
    const one = (path: string) =>
      `GET http://127.0.0.1:${port}/${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
    expect(await lab.exchange(one('1') + one('2'))).toMatch(/^HTTP\/1\.1 200 /);
    expect(seen).toEqual(['/1']);
  });

  it('a Host header decides nothing', async () => {
    const port = await listenForRequests((request, response) => response.end(request.headers.host));
    const lab = await startEgressLab({ allow: ['ok.example'] });
    const headers = { Host: 'ok.example' };
    expect((await lab.get(`http://127.0.0.1:${port}/`, { headers })).status).toBe(403);
  });
});

describe('limits', () => {
  it('of the bytes of headers', async () => {
    const lab = await startEgressLab();
    const text = await lab.exchange(`GET http://a.example/ HTTP/1.1\r\nx: ${'x'.repeat(20_000)}`);
    expect(text).toMatch(/^HTTP\/1\.1 431 The headers of a request may have 16384 bytes\.\r\n/);
    expect(await lab.metric('service_egress_limits_total')).toEqual(['{limit="header_bytes"} 1']);
  });

  it.each(['', 'CONNECT a.example:443 HTTP/1.1\r\nx'])(
    'of the time until headers have come, after %j',
    async (begun) => {
      const lab = await startEgressLab({ limits: { headerMs: 50 } });
      expect(await lab.exchange(begun)).toMatch(/^HTTP\/1\.1 408 /);
      expect(await lab.metric('service_egress_limits_total')).toEqual(['{limit="header_time"} 1']);
    },
  );

  it('of the time to connect, and of names that are looked up at once', async () => {
    const asked: string[] = [];
    const lab = await startEgressLab({
      limits: { connectMs: 50 },
      resolve: (name) => {
        asked.push(name);
        return new Promise(() => undefined);
      },
    });
    const hosts = Array.from({ length: EGRESS_LOOKUPS + 2 }, (_, at) => `x${at}.example`);
    const responses = await Promise.all(hosts.map((host) => lab.get(`http://${host}/`)));
    expect(responses.map(({ text }) => text)).toEqual(
      hosts.map((host) => `${host}:80 could not be connected to within 0.05 s.\n`),
    );
    expect(asked).toHaveLength(EGRESS_LOOKUPS);
    expect(await lab.metric('service_egress_limits_total')).toEqual([
      `{limit="connect_time"} ${hosts.length}`,
    ]);
  });

  it('of connections at once; existing ones stay', async () => {
    const port = await listenForBytes((socket) => socket.pipe(socket));
    const lab = await startEgressLab({ allow: ['127.0.0.1'] });
    const tunnel = await openTunnelTo(lab, `127.0.0.1:${port}`);
    const sockets: Socket[] = [];
    while (sockets.length < 2_000) {
      const socket = connect(lab.socketPath);
      const isThere = once(socket, 'connect').then(
        () => true,
        () => false, // the system keeps so many for a server that has not accepted them yet
      );
      socket.on('error', () => undefined);
      if (await isThere) sockets.push(socket);
    }
    const closed = sockets.flatMap((socket) => (socket.closed ? [] : [once(socket, 'close')]));
    const over = 2_000 + 1 - EGRESS_CONNECTIONS;
    const refused = [`{limit="connections"} ${over}`];
    await expect.poll(() => lab.metric('service_egress_limits_total')).toEqual(refused);
    expect(await lab.metric('service_egress_connections ')).toEqual([String(EGRESS_CONNECTIONS)]);
    tunnel.write('still there');
    await textUntil(tunnel, 'still there');
    for (const socket of sockets) socket.destroy();
    await Promise.all(closed);
    await expect.poll(() => lab.metric('service_egress_connections ')).toEqual(['1']);
    expect((await lab.get('http://127.0.0.1:1/')).status).toBe(502);
  });

  it('of lines in the log', async () => {
    const lab = await startEgressLab({ allow: ['ok.example'] });
    for (let index = 0; index < EGRESS_LOG_HOSTS + 10; index += 1) {
      await lab.get(`http://host-${index}.example/`);
    }
    expect(lab.logged).toHaveLength(EGRESS_LOG_HOSTS);
  });
});

describe('one side that ends', () => {
  it('leaves the other one open: the target first', async () => {
    const got = Promise.withResolvers<string>();
    const port = await listenForBytes((socket) => {
      socket.end('all that I have');
      got.resolve(textOf(socket));
    });
    const lab = await startEgressLab({ allow: ['127.0.0.1'] });
    const socket = await openTunnelTo(lab, `127.0.0.1:${port}`);
    expect(await textOf(socket)).toBe('all that I have');
    socket.end('later');
    expect(await got.promise).toBe('later');
  });

  it('and sends nothing more does not hold the other one for good', async () => {
    const port = await listenForBytes((socket) => void socket.resume());
    const lab = await startEgressLab({ allow: ['127.0.0.1'], limits: { idleMs: 100 } });
    const socket = await openTunnelTo(lab, `127.0.0.1:${port}`);
    socket.end();
    expect(await textOf(socket)).toBe('');
    await expect.poll(() => lab.metric('service_egress_connections ')).toEqual(['0']);
  });

  it('while it waits for the target gives the target up', async () => {
    const aborted = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const lab = await startEgressLab({
      limits: { connectMs: 3_600_000 }, // it is not this time that is over
      resolve: (_, signal) => {
        signal?.addEventListener('abort', () => aborted.resolve());
        asked.resolve();
        return new Promise(() => undefined);
      },
    });
    const socket = await lab.dial();
    socket.write('GET http://a.example/ HTTP/1.1\r\nHost: a\r\n\r\n');
    await asked.promise;
    socket.destroy();
    await aborted.promise;
    await expect.poll(() => lab.metric('service_egress_connections ')).toEqual(['0']);
  });
});
