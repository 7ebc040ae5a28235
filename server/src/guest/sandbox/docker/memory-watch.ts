import type { Readable } from 'node:stream';

import type Docker from 'dockerode';

/** Whether the kernel killed something of a container: it is removed before it could be asked. */
export interface MemoryWatch {
  readonly happened: Promise<void>;
  readonly isSeen: boolean;
  close(): void;
}

export async function watchMemory(docker: Docker, id: string): Promise<MemoryWatch> {
  const events = await docker.getEvents({ filters: { container: [id], event: ['oom'] } });
  let isSeen = false;
  const happened = new Promise<void>((resolve) => {
    events.once('data', () => {
      isSeen = true;
      resolve();
    });
  });
  events.on('error', () => undefined); // the daemon has ended
  return {
    happened,
    get isSeen() {
      return isSeen;
    },
    close: () => ('destroy' in events ? (events as Readable).destroy() : undefined),
  };
}
