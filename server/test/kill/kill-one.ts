import { whenHealthy } from '../fixtures/durable-service.ts';
import { descendants, engineOf } from '../fixtures/process-tree.ts';
import type { Stage } from './stage.ts';

export type Victim = 'guest' | 'server' | 'engine';

/** A process that runs agents. */
export const isGuest = ({ command }: { command: string }): boolean =>
  command.includes('agent_runtime_guest') || command.includes('guests/js');

/** Kills the server (and starts another one), the engine, or all guests; resolves when the service is healthy again. */
export async function killOne(stage: Stage, victim: Victim): Promise<void> {
  if (victim === 'server') {
    await stage.service.kill();
    await stage.start();
  } else if (victim === 'engine') {
    process.kill(engineOf(descendants(stage.service.pid)).pid, 'SIGKILL');
  } else {
    const guests = descendants(stage.service.pid).filter(isGuest);
    for (const { pid } of guests) process.kill(pid, 'SIGKILL');
  }
  await whenHealthy(stage.url);
}
