// A proxy that is the whole internet of an agent: its searches are served here, every other host is refused.
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer, type RequestOptions } from 'node:https';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createAuthority } from '../../fixtures/authority.ts';

/** Hosts whose clients take no other address. */
const HOSTS = ['api.tavily.com'];

export interface SearchProxy {
  /** Variables by which clients go through it and trust it. */
  readonly variables: Readonly<Record<string, string>>;
  /** Hosts that were refused. */
  readonly refused: readonly string[];
  close(): Promise<void>;
}

/** Starts it on a free port; requests to its hosts are given to the listener. */
export async function startSearchProxy(onRequest: RequestListener): Promise<SearchProxy> {
  const authority = await createAuthority('Scripted search');
  const { cert, key } = await authority.issue({ names: HOSTS });
  const options: RequestOptions = { cert, key };
  const inner = createHttpsServer(options, onRequest);
  const refused: string[] = [];
  const open = new Set<Duplex>();
  const proxy = createHttpServer((_, response) => {
    response.writeHead(502).end();
  });
  proxy.on('connect', (request, socket: Socket) => {
    open.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket));
    const host = (request.url ?? '').replace(/:443$/, '');
    if (HOSTS.includes(host)) {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      inner.emit('connection', socket);
    } else {
      refused.push(host);
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`; // what a listening TCP server has
  return {
    refused,
    variables: {
      HTTPS_PROXY: url,
      https_proxy: url,
      HTTP_PROXY: url,
      http_proxy: url,
      NO_PROXY: '127.0.0.1,localhost',
      no_proxy: '127.0.0.1,localhost',
      NODE_USE_ENV_PROXY: '1',
      SSL_CERT_FILE: authority.certFile,
      REQUESTS_CA_BUNDLE: authority.certFile,
      NODE_EXTRA_CA_CERTS: authority.certFile,
    },
    async close() {
      for (const socket of open) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
      authority.close();
    },
  };
}
