import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';

const service = 'temporal.api.workflowservice.v1.WorkflowService';
const serving = 1;
const pause = 100;
const callLimit = 2_000;

/** Resolves when the front end at the address reports that it serves; polls until the signal aborts. */
export async function awaitServing(address: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    if (await isServing(address)) return;
    await sleep(pause, undefined, { signal });
  }
}

async function isServing(address: string): Promise<boolean> {
  let connection: Connection | undefined;
  try {
    connection = await Connection.connect({ address, connectTimeout: callLimit });
    const { healthService } = connection;
    const response = await connection.withDeadline(Date.now() + callLimit, () =>
      healthService.check({ service }),
    );
    return Number(response.status) === serving;
  } catch {
    return false;
  } finally {
    await connection?.close();
  }
}
