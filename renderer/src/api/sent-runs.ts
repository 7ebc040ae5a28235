import { useMemo } from 'react';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { useCurrentService } from './desktop-service.ts';

/** A run that this browser sent, with its request: the service does not store inputs (spec: Run). */
export interface SentRun {
  /** Whose run it is: ids of threads and agents mean something only there. */
  readonly service: string;
  readonly runId: string;
  readonly threadId: string;
  /** Sent to POST /runs: its thread is ephemeral. */
  readonly isStateless: boolean;
  readonly sentAt: number;
  /** Undefined when it was too large to store. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

const maxRuns = 200;
/** Of one body and of all, in characters: browsers give 5 MB for everything. */
const maxBody = 128 * 1024;
const maxTotal = 2 * 1024 * 1024;

interface SentRunsState {
  /** Newest first. */
  readonly runs: readonly SentRun[];
  remember(run: SentRun): void;
}

/** The newest requests of this browser, for Re-run and for the list of recent runs. */
export const useSentRuns = create<SentRunsState>()(
  persist(
    (set) => ({
      runs: [],
      remember: (run) => set(({ runs }) => ({ runs: bounded([run, ...runs]) })),
    }),
    { name: 'studio-sent-runs' },
  ),
);

/** The requests that this browser sent to the current service, newest first. */
export function useSentHere(): readonly SentRun[] {
  const service = useCurrentService();
  const runs = useSentRuns((state) => state.runs);
  return useMemo(() => runs.filter((run) => run.service === service), [runs, service]);
}

/** The request of a run that was sent from here. */
export function sentRun(runId: string): SentRun | undefined {
  return useSentRuns.getState().runs.find((run) => run.runId === runId);
}

/** The request that Re-run can repeat: a known one, and no answer to a question that is no longer open. */
export function resendable(runId: string): SentRun | undefined {
  const sent = sentRun(runId);
  return sent?.body === undefined || 'command' in sent.body ? undefined : sent;
}

/** The newest runs, with as many bodies as there is room for. */
export function bounded(runs: readonly SentRun[]): readonly SentRun[] {
  let total = 0;
  return runs.slice(0, maxRuns).map((run) => {
    const size = run.body === undefined ? 0 : JSON.stringify(run.body).length;
    if (size > maxBody || total + size > maxTotal) return { ...run, body: undefined };
    total += size;
    return run;
  });
}
