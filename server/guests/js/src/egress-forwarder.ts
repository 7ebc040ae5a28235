import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** How this guest reaches the network: not at all, but for the host's proxy. */
export interface EgressConfig {
  /** The proxy's socket. */
  socket: string;
  /** Where programs find the proxy, on the loopback of the sandbox. */
  port: number;
}

/**
 * Copies bytes, in its own thread: an agent that computes must not stop the traffic of the programs that it has
 * started. Each side's end is passed on by itself.
 */
const forward = `
const { createServer, connect } = require('node:net');
const { parentPort, workerData: { socket: path, port } } = require('node:worker_threads');
const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
  const proxy = connect({ path, allowHalfOpen: true });
  client.on('error', () => proxy.destroy()).on('close', () => proxy.destroySoon());
  proxy.on('error', () => client.destroy()).on('close', () => client.destroySoon());
  client.pipe(proxy).pipe(client);
});
server.once('error', (error) => parentPort.postMessage(error.message));
server.listen({ host: '127.0.0.1', port }, () => {
  server.on('error', () => undefined); // of accepting: there will be others
  parentPort.postMessage('');
});
`;

/** Resolves when programs can connect. Throws a sentence when the port is not available. */
export async function startEgressForwarder(config: EgressConfig): Promise<void> {
  const worker = new Worker(forward, {
    ...{ eval: true, execArgv: [], env: {}, stdin: false, workerData: config },
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 8 },
  });
  const [failure] = await once(worker, 'message');
  if (failure !== '') throw new Error(`The way to the network cannot be opened: ${failure}.`);
  worker.unref();
}
