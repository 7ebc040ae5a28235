import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WorkflowNotFoundError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { callUntilAnswered } from './calls.ts';
import type { EngineConnection } from './connection.ts';
import { isGone } from './failures.ts';
import { workflowIdOf } from './thread-client.ts';

/** The engine would notice a lost worker by its heartbeat; a starting server tells it at once. */
const LOST = 'The server that ran the attempt is gone.';

/**
 * The attempts that are running in this process, one small file each in the data directory. Whoever starts on the
 * directory next (and so holds its lock) knows from them which attempts died with their process. No fsync: when the
 * machine itself goes down, the heartbeat decides.
 */
export class ActiveRuns {
  readonly #directory: string;

  constructor(dataDir: string) {
    this.#directory = join(dataDir, 'active-runs');
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
  }

  add(threadId: string, runUuid: string, attempt: number): void {
    writeFileSync(this.#path(runUuid, attempt), threadId);
  }

  remove(runUuid: string, attempt: number): void {
    rmSync(this.#path(runUuid, attempt), { force: true });
  }

  /** Fails every attempt that a process before this one left behind; returns how many there were. */
  async failLost(connection: EngineConnection): Promise<number> {
    const names = readdirSync(this.#directory);
    await Promise.all(
      names.map(async (name) => {
        const threadId = readFileSync(join(this.#directory, name), 'utf8');
        await failAttempt(connection, workflowIdOf(threadId), name.replace('.', ':'));
        rmSync(join(this.#directory, name), { force: true });
      }),
    );
    return names.length;
  }

  #path(runUuid: string, attempt: number): string {
    return join(this.#directory, `${runUuid}.${attempt}`);
  }
}

async function failAttempt(
  { client }: EngineConnection,
  workflowId: string,
  activityId: string,
): Promise<void> {
  try {
    await callUntilAnswered(() =>
      client.activity.fail(
        { workflowId, activityId },
        ApplicationFailure.nonRetryable(LOST, 'INFRA'),
      ),
    );
  } catch (error) {
    // It ended before its process did.
    if (!isGone(error) && !(error instanceof WorkflowNotFoundError)) throw error;
  }
}
