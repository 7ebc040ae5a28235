import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  listenForBytes,
  listenForRequests,
  openTunnelTo,
  startEgressLab,
  textOf,
  textUntil,
} from '../../../test/fixtures/egress-lab.ts';
import type { RunId } from '../../model/ids.ts';

const MIB = 1024 * 1024;

describe('a tunnel', () => {
  it('carries bytes both ways, each end by itself, and counts them', async () => {
    const port = await listenForBytes((socket) => {
      void textOf(socket).then((text) => socket.end(`got ${text}`));
    });
    const lab = await startEgressLab({ allow: [`127.0.0.1:${port}`] });
    const socket = await openTunnelTo(lab, `127.0.0.1:${port}`);
    expect(await lab.metric('service_egress_connections ')).toEqual(['1']);
    socket.end('ping');
    expect(await textOf(socket)).toBe('got ping');
    await expect
      .poll(() => lab.metric('service_egress_bytes_total'))
      .toEqual(['{direction="in"} 8', '{direction="out"} 4']);
    await expect.poll(() => lab.metric('service_egress_connections ')).toEqual(['0']);
  });

  it('takes what a client sends before the connection was confirmed', async () => {
    const port = await listenForBytes((socket) => socket.pipe(socket));
    const lab = await startEgressLab({ allow: ['localhost'] });
    const socket = await lab.dial();
    socket.write(`CONNECT localhost:${port} HTTP/1.1\r\n\r\nearly`);
    expect(await textUntil(socket, 'early')).toMatch(/^HTTP\/1\.1 200 [^\r]*\r\n\r\nearly$/);
  });

  it('ends when the target breaks off', async () => {
    const port = await listenForBytes((socket) =>
      socket.once('data', () => socket.resetAndDestroy()),
    );
    const lab = await startEgressLab({ allow: ['127.0.0.1'] });
    const socket = await openTunnelTo(lab, `127.0.0.1:${port}`);
    socket.write('x');
    expect(await textOf(socket)).toBe('');
  });

  it('ends with the proxy, which leaves no socket', async () => {
    const port = await listenForBytes(() => undefined);
    const lab = await startEgressLab({ allow: ['127.0.0.1'] });
    const socket = await openTunnelTo(lab, `127.0.0.1:${port}`);
    await Promise.all([textOf(socket), lab.close(), lab.close()]);
    expect(existsSync(lab.socketPath)).toBe(false);
  });

  it('holds a target up whose client does not read, and ends when nothing moves', async () => {
    const port = await listenForBytes((socket) => void socket.write(Buffer.alloc(64 * MIB)));
    const lab = await startEgressLab({ allow: ['127.0.0.1'], limits: { idleMs: 300 } });
    (await openTunnelTo(lab, `127.0.0.1:${port}`)).pause();
    await expect
      .poll(() => lab.metric('service_egress_bytes_total{direction="in"} '))
      .toEqual([expect.stringMatching(/^\d+$/)]);
    const [taken] = await lab.metric('service_egress_bytes_total{direction="in"} ');
    expect(Number(taken)).toBeLessThan(MIB);
    expect(await lab.metric('service_egress_limits_total')).toEqual(['{limit="idle_time"} 1']);
  });
});

describe('a plain request', () => {
  it('comes to the target as it was, without what belongs to the connection', async () => {
    const port = await listenForRequests((request, response) => {
      let body = '';
      request.on('data', (part) => (body += String(part)));
      request.on('end', () => {
        const { method, url, rawHeaders } = request;
        response.writeHead(201, 'Made', ['X-A', '1', 'x-a', '2', 'Keep-Alive', 'timeout=5']);
        response.end(JSON.stringify({ method, url, rawHeaders, body }));
      });
    });
    const lab = await startEgressLab({ allow: [`localhost:${port}`] });
    const headers = {
      ...{ Host: 'elsewhere.example', 'X-Own': 'yes', Connection: 'x-hop', 'X-Hop': 'no' },
      ...{ 'Proxy-Authorization': 'Basic eDp5', 'Transfer-Encoding': 'chunked', TE: 'trailers' },
    };
    const url = `http://LOCALHOST:${port}/path?query=1`;
    const response = await lab.get(url, { method: 'POST', headers }, 'body');
    expect(JSON.parse(response.text)).toEqual({
      ...{ method: 'POST', url: '/path?query=1', body: 'body' },
      rawHeaders: [
        ...['host', `localhost:${port}`, 'connection', 'close', 'transfer-encoding', 'chunked'],
        ...['X-Own', 'yes'],
      ],
    });
    expect(response.status).toBe(201);
    expect(response.headers).toMatchObject({ 'x-a': '1, 2', connection: 'close' });
    expect(response.headers).not.toHaveProperty('keep-alive');
  });

  it('to a target that sends nonsense, or nothing, is 502', async () => {
    const nonsense = ['', 'hello\r\n\r\n', 'HTTP/1.1 1000 x\r\n\r\n', 'HTTP/1.1 099 x\r\n\r\n'];
    nonsense.push('HTTP/1.1 101 Up\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n');
    nonsense.push(
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    );
    nonsense.push(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`);
    const lab = await startEgressLab({ allow: ['127.0.0.1'] });
    for (const text of nonsense) {
      const port = await listenForBytes((socket) => socket.end(text));
      const { status } = await lab.get(`http://127.0.0.1:${port}/`);
      expect([text.slice(0, 80), status]).toEqual([text.slice(0, 80), 502]);
    }
    expect(await lab.metric('service_egress_limits_total')).toEqual(['{limit="header_bytes"} 1']);
  });

  it('whose response breaks off has one that breaks off', async () => {
    const port = await listenForBytes((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf');
      socket.once('data', () => socket.destroySoon());
    });
    const lab = await startEgressLab({ allow: ['127.0.0.1'] });
    await expect(lab.get(`http://127.0.0.1:${port}/`)).rejects.toThrow('aborted');
  });
});

describe('what is refused', () => {
  const run = 'thread-1_018f3a6e-0000-7000-8000-000000000002' as RunId; // for the log, any text

  it('names the host and the setting, is counted, and logged once without its path', async () => {
    const lab = await startEgressLab({ allow: ['ok.example'], runsOf: () => [run] });
    const sentence =
      'Agents may not reach no.example:80: it is not in guest.egress_allow. To allow it, add no.example:80 to guest.egress_allow.';
    const response = await lab.get('http://no.example/secret?key=1', { auth: 'user:pass' });
    expect(response).toMatchObject({ status: 403, text: `${sentence}\n` });
    expect(await lab.exchange('CONNECT no.example:80 HTTP/1.1\r\n\r\n')).toMatch(
      new RegExp(`^HTTP/1\\.1 403 ${sentence.replaceAll('.', '\\.')}\\r\\n`),
    );
    expect(await lab.metric('service_egress_denied_total')).toEqual(['{reason="not_allowed"} 2']);
    expect(lab.logged).toEqual([
      {
        ...{ level: 'warn', message: 'agent network access refused', reason: 'not_allowed' },
        ...{ host: 'no.example', port: 80, run_ids: [run] },
      },
    ]);
  });

  it.each([
    ...['127.0.0.1', '169.254.169.254', '10.0.0.1', '::1', 'fd00::1', '::ffff:127.0.0.1'],
    ...['64:ff9b::7f00:1', '0.0.0.0', 'fe80::1%lo'],
  ])('is a name that leads to %s', async (address) => {
    const family = address.includes(':') ? 6 : 4;
    const lab = await startEgressLab({ resolve: async () => [{ address, family }] });
    const { text, status } = await lab.get('http://trap.example/');
    expect(text).toBe(
      'Agents may not reach trap.example:80: it leads to a private, loopback, link-local or reserved address. To allow it, set guest.egress_allow to *,trap.example:80.\n',
    );
    expect(status).toBe(403);
  });

  it.each(['2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '[::1]', 'localhost', '169.254.169.254'])(
    'is %s, by CONNECT as well',
    async (host) => {
      const port = await listenForBytes((socket) => socket.end('reached'));
      const lab = await startEgressLab();
      expect(await lab.exchange(`CONNECT ${host}:${port} HTTP/1.1\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 403 .* it leads to a private/,
      );
    },
  );

  it('is never looked up: the question alone carries data', async () => {
    const asked: string[] = [];
    const lab = await startEgressLab({
      allow: ['ok.example:443', '10.0.0.0/8'],
      resolve: async (name) => {
        asked.push(name);
        return [];
      },
    });
    for (const host of ['data.evil.example', 'ok.example']) await lab.get(`http://${host}/`);
    expect(asked).toEqual([]);
  });

  it('is where a redirect leads to', async () => {
    const port = await listenForRequests((_, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
    );
    const lab = await startEgressLab({ allow: [`*`, `127.0.0.1:${port}`] });
    const { status, headers } = await lab.get(`http://127.0.0.1:${port}/`);
    expect(status).toBe(302);
    expect((await lab.get(headers.location ?? '')).status).toBe(403);
  });
});

describe('a name', () => {
  it('is looked up once for a connection, which goes to an address that was checked', async () => {
    const port = await listenForBytes((socket) => socket.end('reached'));
    const responses = [['10.0.0.1', '127.0.0.1'], ['10.0.0.1']];
    const lab = await startEgressLab({
      allow: ['*.rebound.example', `127.0.0.1/32:${port}`],
      resolve: async () => (responses.shift() ?? []).map((address) => ({ address, family: 4 })),
    });
    const tunnel = `CONNECT a.rebound.example:${port} HTTP/1.1\r\n\r\n`;
    expect(await lab.exchange(tunnel)).toMatch(/reached$/);
    expect(await lab.exchange(tunnel)).toMatch(/^HTTP\/1\.1 403 /);
  });

  it.each([
    ['that does not exist', 'ENOTFOUND', 'there is no host of this name'],
    ['that cannot be looked up now', 'EAI_AGAIN', 'the name could not be looked up'],
  ])('%s is 502', async (_, code, reason) => {
    const lab = await startEgressLab({
      resolve: () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code })),
    });
    const { status, text } = await lab.get('http://a.example/');
    expect([status, text]).toEqual([502, `a.example:80: ${reason}.\n`]);
  });

  it('of a host that takes no connections is 502', async () => {
    const lab = await startEgressLab({ allow: ['localhost:1'] });
    const { text } = await lab.get('http://localhost:1/');
    expect(text).toBe('localhost:1: the connection was refused.\n');
  });
});
