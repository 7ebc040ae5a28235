import { useQuery } from '@tanstack/react-query';
import { textOf } from '../../../api/json-record.ts';
import { listAgentsOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { newestRunQuery } from '../../../api/queries/thread-runs.ts';
import { useCopiedAgent } from '../../../api/queries/copied-agent.ts';
import { recordedBodyQuery } from '../../../api/queries/recorded-body.ts';
import type { ComposerTarget } from './composer-drawer.tsx';
import { sentRun, useSentHere } from '../../../api/sent-runs.ts';

/** What the composer starts with. */
export interface ComposerStart {
  readonly agentId: string | undefined;
  /** The request that it repeats. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly retry: () => void;
}

/**
 * The agent and the request that a composer starts with: those of the run it is based on, else of the last one that was
 * sent from here, to this thread or, on a page of no thread, to this agent.
 */
export function useComposerStart(place: ComposerTarget): ComposerStart {
  const { threadId, basedOn, agentId: named } = place;
  const agents = useQuery(listAgentsOptions());
  const sentHere = useSentHere();
  const last = sentHere.find(({ threadId: of, body }) =>
    threadId === undefined ? named === undefined || body?.['agent_id'] === named : of === threadId,
  );
  const sent = basedOn === undefined ? last : sentRun(basedOn);
  const isRecordNeeded = basedOn !== undefined && sent?.body === undefined;
  const recorded = useQuery({ ...recordedBodyQuery(basedOn ?? ''), enabled: isRecordNeeded });
  const newest = useQuery({ ...newestRunQuery(threadId ?? ''), enabled: threadId !== undefined });
  const copied = useCopiedAgent(threadId ?? '', newest.data === null);
  const body = isRecordNeeded ? recorded.data : sent?.body;
  const isNewestPending = threadId !== undefined && newest.isPending;
  return {
    agentId:
      named ??
      (basedOn === undefined ? undefined : textOf(body ?? {}, 'agent_id')) ??
      newest.data?.agent_id ??
      copied ??
      textOf(last?.body ?? {}, 'agent_id') ??
      agents.data?.[0]?.agent_id,
    body: body ?? undefined,
    isPending: agents.isPending || isNewestPending || (isRecordNeeded && recorded.isPending),
    error: agents.data === undefined ? agents.error : null,
    retry: () => void agents.refetch(),
  };
}
