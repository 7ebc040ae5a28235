import { plainValuesText } from '../../model/checkpoint/state-values.ts';
import { isServiceError } from '../../errors/service-error.ts';
import type { AgentsPort } from '../../threads/ports.ts';
import type { RunService } from '../../threads/run-service.ts';
import type { StateService } from '../../threads/state-service.ts';
import type { Webhook } from '../../webhooks/port.ts';
import { isoTime } from '../response/iso-time.ts';
import { spliced, writeJson } from '../response/json-writer.ts';
import { presentCompatRun } from './present-run.ts';
import { outcomeOf } from './run-outcome.ts';

/** What LangGraph's server sends of a run that has ended, as far as its principal may read it. */
export function webhookBody(services: {
  runs: RunService;
  states: StateService;
  known: AgentsPort;
}): (webhook: Webhook) => Promise<string> {
  const { runs, states, known } = services;
  return async ({ principal, threadId, runUuid }) => {
    const run = await runs.read(principal, { threadId, runUuid });
    const values =
      run.status === 'error'
        ? states.read(principal, threadId).then((state) => plainValuesText(state.values))
        : outcomeOf({ states, known }, principal, run);
    return writeJson({
      ...presentCompatRun(run),
      run_started_at: isoTime(run.createdAt),
      run_ended_at: isoTime(run.updatedAt),
      webhook_sent_at: isoTime(Date.now()),
      values: await values.then((text) => spliced(text), ifUnreadable),
    });
  };
}

/** The thread may be gone, and its state may be another right than the run. */
function ifUnreadable(error: unknown): null {
  const codes = ['permission_denied', 'auth_refused', 'thread_not_found', 'checkpoint_not_found'];
  if (isServiceError(error) && [...codes, 'state_too_large'].includes(error.code)) return null;
  throw error;
}
