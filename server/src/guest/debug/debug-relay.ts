import { connect, createServer, type Server, type Socket } from 'node:net';
import { ServiceError } from '../../errors/service-error.ts';

/** Debuggers are reached from this machine only. */
export const LOOPBACK = '127.0.0.1';

/** Listens on loopback at the port (0: a free one). Resolves with the port; rejects with the error of listening. */
export async function listenOnLoopback(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: LOOPBACK, port, exclusive: true }, resolve);
  });
  server.on('error', () => undefined); // of single connections
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

/** How long a debugger may be silent after its client has disconnected. */
const FAREWELL_MS = 60_000;

export interface DebugRelayOptions {
  /** 0: a free one. */
  port: number;
  /** Whether the first bytes of a connection begin a session; other connections only list targets. */
  isSession: (first: Buffer) => boolean;
  /** Whether these bytes are a valid start of the protocol; absent: all are. */
  isOpening?: (received: Buffer) => boolean | 'more';
  /** Called with the number of sessions whenever it changes. */
  onSessions: (count: number) => void;
}

/**
 * The port where clients reach the debugger: this process owns it for the whole session, independent of guests, and it
 * closes with this process. It forwards to the port that the debugger of the current guest chose.
 */
export class DebugRelay {
  readonly port: number;
  readonly #server: Server;
  readonly #options: DebugRelayOptions;
  /** Clients, and whether they have a session. */
  readonly #clients = new Map<Socket, boolean>();
  /** Clients that connected before a debugger was available. */
  readonly #waiting = new Set<Socket>();
  #target: number | undefined;
  #count = 0;

  private constructor(server: Server, port: number, options: DebugRelayOptions) {
    this.#server = server;
    this.port = port;
    this.#options = options;
    server.on('connection', (client) => this.#take(client));
  }

  /** Listens on loopback only; rejects with `config_invalid` when the port is taken. */
  static async listen(options: DebugRelayOptions): Promise<DebugRelay> {
    const server = createServer({ pauseOnConnect: true });
    const port = await listenOnLoopback(server, options.port).catch((cause: Error) => {
      throw notListening(options.port, cause);
    });
    return new DebugRelay(server, port, options);
  }

  /** Forwards to the debugger of another guest from now on; without a port, new clients wait for one. */
  leadTo(port: number | undefined): void {
    this.#target = port;
    for (const client of this.#clients.keys()) if (!this.#waiting.has(client)) client.destroy();
    if (port === undefined) return;
    for (const client of this.#waiting) this.#join(client, port);
    this.#waiting.clear();
  }

  /** New clients wait for the next debugger; those connected to the current one stay. */
  keepWaiting(): void {
    this.#target = undefined;
  }

  /** Disconnects all clients. The port is free afterwards. Idempotent. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const client of this.#clients.keys()) client.destroy();
    await closed;
  }

  #take(client: Socket): void {
    this.#clients.set(client, false);
    client.setNoDelay(true);
    client.on('error', () => undefined); // 'close' follows
    client.once('close', () => {
      this.#clients.delete(client);
      this.#waiting.delete(client);
      this.#reportSessions();
    });
    if (this.#target === undefined) this.#waiting.add(client);
    else this.#join(client, this.#target);
  }

  /** Rejects invalid first messages: debugpy would never drop such a client, and would outlive its guest. */
  #join(client: Socket, port: number): void {
    let received = Buffer.alloc(0);
    const onData = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk]);
      const isOpening = this.#options.isOpening?.(received) ?? true;
      if (isOpening === 'more') return;
      client.off('data', onData).pause();
      if (isOpening) this.#connect(client, port, received);
      else client.destroy();
    };
    client.on('data', onData).resume(); // it was paused on connect
  }

  #connect(client: Socket, port: number, received: Buffer): void {
    const guest = connect({ host: LOOPBACK, port, noDelay: true });
    guest.on('error', () => undefined);
    guest.once('close', () => client.destroy());
    client.once('close', () => this.#leave(guest));
    guest.write(received);
    this.#clients.set(client, this.#options.isSession(received));
    this.#reportSessions();
    client.pipe(guest);
    guest.pipe(client);
  }

  /**
   * Half-closes the connection and reads until its end. If a client disconnected at once, as a port scanner does, and
   * debugpy could not send its first message, it would accept no further client, and outlive its guest.
   */
  #leave(guest: Socket): void {
    guest.end();
    guest.resume();
    guest.setTimeout(FAREWELL_MS, () => guest.destroy()).unref();
  }

  #reportSessions(): void {
    const count = [...this.#clients.values()].filter((isSession) => isSession).length;
    if (count === this.#count) return;
    this.#count = count;
    this.#options.onSessions(count);
  }
}

function notListening(port: number, cause: Error): ServiceError {
  const isTaken = 'code' in cause && cause.code === 'EADDRINUSE';
  const sentence = isTaken
    ? `The debug port ${port} is taken, and only one agent can be debugged on a port; choose another one with --debug-port.`
    : `The debug port ${port} cannot be listened on: ${cause.message}.`;
  return new ServiceError('config_invalid', sentence, { cause });
}
