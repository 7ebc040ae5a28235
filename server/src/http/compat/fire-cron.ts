import type { FireCron } from '../../crons/scheduler.ts';
import type { RunUuid, ThreadId } from '../../model/ids.ts';
import { uuidOf } from '../../threads/create-once.ts';
import { parseInput } from '../request/parse-input.ts';
import { scanObject } from '../response/raw-members.ts';
import { type BeginRunServices, createBeginRun } from './begin-run.ts';
import { runBody } from './run-body.ts';

/**
 * Makes the run of a cron as the principal that made the cron, with all that a request of theirs would be asked. Its ids
 * follow from the cron and the time, so that the same time makes one run, however often it is tried.
 */
export function cronFiring(
  services: BeginRunServices,
  options: { checkpointHistory: number | undefined },
): FireCron {
  const begin = createBeginRun(services, options);
  return async ({ cron, at }) => {
    const { cronId, principal, payload, onRunCompleted } = cron;
    const mark = `cron ${cronId} ${at}`;
    const threadId = (cron.threadId ?? uuidOf(`thread of ${mark}`)) as ThreadId; // checked when it came
    const runUuid = uuidOf(`run of ${mark}`) as RunUuid; // the brand means exactly this
    const given = parseInput(runBody, JSON.parse(payload));
    const body = { ...given, metadata: { ...cron.metadata, ...given.metadata, cron_id: cronId } };
    const isStateless = cron.threadId === undefined && onRunCompleted !== 'keep';
    if (cron.threadId === undefined && !isStateless) {
      const made = { threadId, metadata: { cron_id: cronId }, ifExists: 'do_nothing' as const };
      await services.threads.create(principal, { ...made, ...options });
    }
    const { members } = scanObject(payload);
    // Of two services that try it at once, the thread takes one run.
    const idempotency = isStateless ? undefined : { key: mark, body: mark };
    await begin(
      { principal, body, members, idempotency },
      { threadId: isStateless ? undefined : threadId, key: { threadId, runUuid } },
    );
  };
}
