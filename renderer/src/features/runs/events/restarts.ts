import type { RunStreamEvent } from '../../../api/run-stream.ts';
import { isRestart } from './event-filter.ts';
import { parseEvent } from './event-reading.ts';
import { isRecord, numberOf, textOf } from '../../../api/json-record.ts';

/** An attempt after the first one, and where in the graph it resumed. */
export interface Restart {
  readonly seq: number;
  readonly attempt: number;
  /** `CRASH`, `INFRA` or `CAN`; undefined where the stream does not contain it. */
  readonly reason: string | undefined;
  /** Steps of this run, from 1; known from stream mode `tasks` alone, once it has resumed. */
  readonly step: number | undefined;
  readonly nodes: readonly string[];
}

/** The restarts of a run, folded from its events one after the other. */
export interface Restarts {
  take(event: RunStreamEvent): void;
  /** In order; a new array whenever one of them has changed. */
  list(): readonly Restart[];
}

/** Makes an empty collection. */
export function createRestarts(): Restarts {
  const found: Restart[] = [];
  let list: readonly Restart[] = [];
  /** A repeated task keeps its id. */
  const stepOf = new Map<string, number>();
  const running = new Set<string>();
  let step = 0;
  /** The last restart has not resumed yet, or only with this step. */
  let isFirstStep = false;

  function takeRestart(event: RunStreamEvent): void {
    const payload = parseEvent(event);
    if (!isRecord(payload)) return;
    const attempt = numberOf(payload, 'attempt') ?? found.length + 2;
    const reason = textOf(payload, 'last_failure');
    const last = found.at(-1);
    if (last?.attempt === attempt) {
      // `restart` and `lifecycle` both report it: one band shows both.
      found[found.length - 1] = { ...last, reason: last.reason ?? reason };
      list = [...found];
      return;
    }
    found.push({ seq: event.seq, attempt, reason, step: undefined, nodes: [] });
    list = [...found];
    // At a continue-as-new the same guest continues its work.
    if (reason === 'CAN') return;
    running.clear();
    isFirstStep = true;
  }

  function begin(id: string, name: string): void {
    if (running.size === 0) step = stepOf.get(id) ?? step + 1;
    running.add(id);
    stepOf.set(id, step);
    const last = found.at(-1);
    if (last === undefined || !isFirstStep) return;
    found[found.length - 1] = { ...last, step, nodes: [...new Set([...last.nodes, name])] };
    list = [...found];
  }

  return {
    take(event) {
      const { type, ns } = event;
      if (isRestart(event)) takeRestart(event);
      if (type !== 'tasks' || ns !== '') return;
      const payload = parseEvent(event);
      if (!isRecord(payload)) return;
      const id = textOf(payload, 'id') ?? '';
      if (payload['event'] === 'start') begin(id, textOf(payload, 'name') ?? '');
      else {
        running.delete(id);
        isFirstStep = isFirstStep && running.size > 0;
      }
    },
    list: () => list,
  };
}

const reasons: Readonly<Record<string, string>> = {
  CRASH: 'CRASH, the guest process ended',
  INFRA: 'INFRA, the worker or its channel was lost',
  CAN: 'CAN, the thread moved to a new execution',
};

/** `Attempt 2 of 4 · CRASH, the guest process ended · resumed at step 3, search` */
export function restartSentence(restart: Restart, maxAttempts: number): string {
  const { attempt, reason } = restart;
  const why = reason === undefined ? [] : [reasons[reason] ?? reason];
  const where = reason === 'CAN' ? 'the run continued' : resumedAt(restart);
  return [`Attempt ${attempt} of ${Math.max(attempt, maxAttempts)}`, ...why, where].join(' · ');
}

/** Where a restart resumed, as far as it is known. */
export function resumedAt({ step, nodes }: Restart): string {
  if (step === undefined) return 'resumed from the last checkpoint';
  return `resumed at step ${step}, ${nodes.join(', ')}`;
}
