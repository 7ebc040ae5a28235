import { plainValuesText } from '../../model/checkpoint/state-values.ts';
import type { JsonText } from '../../model/json.ts';
import type { Principal } from '../../model/principal.ts';
import type { RunView } from '../../model/run/run.ts';
import type { StateSnapshot } from '../../model/thread/thread.ts';
import type { AgentsPort } from '../../threads/ports.ts';
import type { RunService } from '../../threads/run-service.ts';
import type { StateService } from '../../threads/state-service.ts';
import { hasLeft } from '../endpoint.ts';
import { objectOf, scanObject } from '../response/raw-members.ts';
import { isInJavaScript } from './agent-language.ts';
import { runValues } from './present-run.ts';

/**
 * What a client that waited for a run gets: its output, `{"__error__"}`, or the thread's state when it has neither.
 * LangGraph's server for JavaScript responds with the whole state, whatever the output schema leaves out of it.
 */
export async function runOutcome(
  settled: RunView,
  { isJavaScript, readState }: { isJavaScript: boolean; readState: () => Promise<StateSnapshot> },
): Promise<JsonText> {
  const values = runValues(settled);
  if (values === undefined) return plainValuesText((await readState()).values);
  const isWhole = settled.status === 'error' || !isJavaScript || !values.startsWith('{');
  if (isWhole) return values;
  const state = plainValuesText((await readState()).values);
  if (!state.startsWith('{')) return values;
  // What the run itself returned counts: by now the state may be that of another run.
  return objectOf(new Map([...scanObject(state).members, ...scanObject(values).members]));
}

/** Clients of LangGraph Server wait for as long as a run takes. */
export const NO_LIMIT_MS = 2 ** 31 - 1;

/** What the client of a run that has ended gets. */
export async function outcomeOf(
  { states, known }: { states: StateService; known: AgentsPort },
  principal: Principal,
  run: RunView,
): Promise<JsonText> {
  return runOutcome(run, {
    isJavaScript: isInJavaScript(known, run.agentId),
    readState: () => states.read(principal, run.threadId),
  });
}

/** Waits for a run; resolves with it and with what its client gets. */
export async function awaitOutcome(
  services: { runs: RunService; states: StateService; known: AgentsPort },
  { principal, begun }: { principal: Principal; begun: RunView },
  ends: { signal: AbortSignal; isCancelledOnDisconnect: boolean },
): Promise<{ run: RunView; values: JsonText }> {
  const { runs } = services;
  const { signal, isCancelledOnDisconnect } = ends;
  try {
    const run = await runs.wait(begun, { limitMs: NO_LIMIT_MS, signal });
    return { run, values: await outcomeOf(services, principal, run) };
  } catch (error) {
    if (isCancelledOnDisconnect && hasLeft(signal)) await runs.cancelAbandoned(principal, begun);
    throw error;
  }
}
