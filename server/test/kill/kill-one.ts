import { whenHealthy } from '../fixtures/durable-service.ts';
import {
  allGone,
  descendants,
  endIfAlive,
  engineOf,
  type KnownProcess,
} from '../fixtures/process-tree.ts';
import { ROUND_LIMIT_MS } from './rounds.ts';
import type { Stage } from './stage.ts';

export type Victim = 'guest' | 'server' | 'engine';

/** A process that runs agents. */
const isGuest = ({ command }: { command: string }): boolean =>
  command.includes('agent_runtime_guest') || command.includes('guests/js');

/** A kill whose victims are found already. */
export interface PreparedKill {
  /** Resolves when another server listens, or when the service is healthy without the engine or the guests. */
  kill(): Promise<void>;
  /** What a killed server leaves behind for a while. */
  left: KnownProcess[];
}

/** Finds the server, the engine or all guests, to be killed. */
export function prepareKill(stage: Stage, victim: Victim): PreparedKill {
  const left = descendants(stage.service.pid);
  if (victim === 'server') {
    const kill = async (): Promise<void> => {
      await stage.service.kill();
      await stage.start();
    };
    return { kill, left };
  }
  const killed = victim === 'engine' ? [engineOf(left)] : left.filter(isGuest);
  if (killed.length === 0) throw new Error('The service has no guest process.');
  const kill = async (): Promise<void> => {
    for (const one of killed) endIfAlive(one);
    await allGone(killed, ROUND_LIMIT_MS);
    await whenHealthy(stage.url);
  };
  return { kill, left: [] };
}

/** Kills one of them; resolves when the service is healthy again. */
export async function killOne(stage: Stage, victim: Victim): Promise<void> {
  await prepareKill(stage, victim).kill();
  await whenHealthy(stage.url);
}
