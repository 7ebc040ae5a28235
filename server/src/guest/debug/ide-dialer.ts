import { connect, createServer, type Server, type Socket } from 'node:net';

import { listenOnLoopback, LOOPBACK } from './debug-relay.ts';

export interface IdeDialerOptions {
  /** The IDE's port. */
  port: number;
  everyMs: number;
  /** Called with the number of guests connected to the IDE whenever it changes. */
  onSessions: (count: number) => void;
}

/**
 * Connects a guest to an IDE that listens: the guest dials us, and we dial the IDE until it accepts. So a guest neither
 * waits nor fails when the IDE starts late, exits or restarts.
 */
export class IdeDialer {
  /** The port that the guest dials. */
  readonly guestPort: number;
  readonly #server: Server;
  readonly #options: IdeDialerOptions;
  readonly #guests = new Set<Socket>();
  #count = 0;

  private constructor(server: Server, guestPort: number, options: IdeDialerOptions) {
    this.#server = server;
    this.guestPort = guestPort;
    this.#options = options;
    server.on('connection', (guest) => this.#take(guest));
  }

  /** Listens for guests, on a free port. */
  static async listen(options: IdeDialerOptions): Promise<IdeDialer> {
    const server = createServer();
    return new IdeDialer(server, await listenOnLoopback(server, 0), options);
  }

  /** Disconnects the IDE. Idempotent. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const guest of this.#guests) guest.destroy();
    await closed;
  }

  #take(guest: Socket): void {
    this.#guests.add(guest);
    guest.setNoDelay(true);
    guest.on('error', () => undefined); // 'close' follows
    guest.once('close', () => this.#guests.delete(guest));
    this.#dial(guest);
  }

  #dial(guest: Socket): void {
    if (guest.destroyed) return;
    const ide = connect({ host: LOOPBACK, port: this.#options.port, noDelay: true });
    let isConnected = false;
    ide.on('error', () => undefined);
    ide.once('connect', () => {
      isConnected = true;
      this.#changeCount(1);
      guest.pipe(ide);
      ide.pipe(guest);
    });
    const leave = (): void => void ide.destroy();
    guest.once('close', leave);
    ide.once('close', () => {
      guest.off('close', leave);
      if (isConnected) {
        this.#changeCount(-1);
        guest.destroy();
      } else setTimeout(() => this.#dial(guest), this.#options.everyMs).unref();
    });
  }

  #changeCount(change: number): void {
    this.#count += change;
    this.#options.onSessions(this.#count);
  }
}
