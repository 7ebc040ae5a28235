import type { JsonText } from '../../model/json-text.ts';
import { toJsonText } from '../../model/json-text.ts';
import type { RunView } from '../../model/run/run.ts';

/** An error as LangGraph Server tells it. */
export function shownError(run: RunView): { error: string; message: string } {
  const { error } = run;
  return {
    error: error?.type ?? error?.code ?? 'Error',
    message: error?.message ?? 'The run failed.',
  };
}

/** What waiting for a run returns: its values, or `{"__error__"}`; undefined when the run left nothing. */
export function runValues(run: RunView): JsonText | undefined {
  if (run.status === 'error') return toJsonText({ __error__: shownError(run) });
  return run.output;
}
