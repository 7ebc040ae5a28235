import type { Socket } from 'node:net';

import { type BoundedListener, listenBounded } from './bounded-listener.ts';
import type { GuestDirectory } from '../process/guest-directory.ts';
import type { GuestLimits } from '../limits.ts';

/**
 * The host's calls to a guest in a sandbox. The guest does not listen on a socket, which would have to be in a folder
 * that agents can write: it opens connections to a socket of the host, and each client of `frontSocket` gets one of
 * them. So the shared folder is read-only within the sandbox.
 */
export class DialledConnections {
  readonly #limits: Limits;
  readonly #listeners: BoundedListener[] = [];
  /** Connections that the guest has opened and that no client uses yet. */
  readonly #idle: Socket[] = [];
  readonly #waiting: ((dialled: Socket) => void)[] = [];

  private constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Listens on both sockets, which are in folders that are private to this user. */
  static async listen(
    { dialSocket, frontSocket }: Pick<GuestDirectory, 'dialSocket' | 'frontSocket'>,
    limits: Limits,
  ): Promise<DialledConnections> {
    const connections = new DialledConnections(limits);
    try {
      await connections.#serve(dialSocket, (dialled) => connections.#offer(dialled));
      await connections.#serve(frontSocket, (client) => connections.#connect(client));
    } catch (error) {
      connections.close();
      throw error;
    }
    return connections;
  }

  /** Cuts all connections. Idempotent. */
  close(): void {
    for (const listener of this.#listeners) listener.close();
  }

  async #serve(socketPath: string, take: (socket: Socket) => void): Promise<void> {
    // Nothing is read before both ends are connected.
    const options = { pauseOnConnect: true };
    const most = this.#limits.dialledConnections;
    this.#listeners.push(await listenBounded(socketPath, most, take, options));
  }

  #offer(dialled: Socket): void {
    const next = this.#waiting.shift();
    if (next) next(dialled);
    else this.#idle.push(dialled);
  }

  #connect(client: Socket): void {
    const dialled = this.#idle.shift();
    if (dialled) return join(client, dialled);
    const take = (late: Socket): void => {
      clearTimeout(timer);
      join(client, late);
    };
    const timer = setTimeout(() => client.destroy(), this.#limits.dialMs);
    this.#waiting.push(take);
    client.once('close', () => {
      clearTimeout(timer);
      const at = this.#waiting.indexOf(take);
      if (at !== -1) this.#waiting.splice(at, 1);
    });
  }
}

type Limits = Pick<GuestLimits, 'dialledConnections' | 'dialMs'>;

function join(client: Socket, dialled: Socket): void {
  client.once('close', () => dialled.destroy());
  dialled.once('close', () => client.destroy());
  client.pipe(dialled).pipe(client);
}
