/** A guest in a sandbox: the only way to the network is the host's proxy, over a unix socket. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runRequest, startGuest } from './guest-process.ts';
import { startMemoryHost } from './memory-host.ts';

/** A proxy that is every target itself; what it is asked for. */
function startProxy(socketPath: string): string[] {
  const asked: string[] = [];
  const serve = (socket: Socket): void => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      const [line = ''] = String(bytes).split('\r\n');
      asked.push(line);
      if (line.startsWith('CONNECT ')) socket.write('HTTP/1.1 200 OK\r\n\r\n');
      else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nvia');
    });
  };
  const server = createServer(serve).listen(socketPath);
  onTestFinished(() => void server.close());
  return asked;
}

it('lets agents reach the proxy from when they are imported, and the host past it', async () => {
  const host = await startMemoryHost();
  const socket = join(host.directory, 'egress.sock');
  const asked = startProxy(socket);
  // The sandbox's loopback has but this guest; here a free port has to do.
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  probe.close();
  const proxy = `http://127.0.0.1:${port}`;
  const guest = await startGuest(
    host,
    { network: './network.ts:graph' },
    {
      egress: { socket, port },
      env: { http_proxy: proxy, https_proxy: proxy, NODE_USE_ENV_PROXY: '1' },
    },
  );
  onTestFinished(async () => {
    await guest.kill();
    await host.close();
  });
  const { end } = await guest.invoke(runRequest('t', 'r', { agentId: 'network', inputJson: '{}' }));
  expect(JSON.parse(end.outputJson)).toEqual({ found: ['via', 'via'] });
  const each = ['CONNECT target.example:80 HTTP/1.1', 'GET / HTTP/1.1'];
  expect(asked).toEqual([...each, ...each]);
});
