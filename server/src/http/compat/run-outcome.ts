import { plainValuesText } from '../../model/checkpoint/state-values.ts';
import type { JsonText } from '../../model/json.ts';
import type { RunView } from '../../model/run/run.ts';
import type { StateSnapshot } from '../../model/thread/thread.ts';
import { objectOf, scanObject } from '../response/raw-members.ts';
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
