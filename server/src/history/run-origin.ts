import type { RunUuid, ThreadId } from '../model/ids.ts';
import { type NewRun, type RunFacts, runFacts } from '../model/run/run.ts';
import type { RunOrigin } from './events.ts';

/** A run as it was asked for. */
export function originOf(
  facts: RunFacts & { threadId: ThreadId; runUuid: RunUuid },
  { start, principal }: Pick<NewRun, 'start' | 'principal'>,
): RunOrigin {
  const { threadId, runUuid } = facts;
  const { sub } = principal;
  const origin = { ...runFacts(facts), threadId, runUuid, start };
  return typeof sub === 'string' ? { ...origin, sub } : origin;
}
