import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { ApiError } from '../../api/errors.ts';
import { getRun } from '../../api/generated/index.ts';
import { ShortId } from '../../ui/short-id.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { textOf } from '../../api/json-record.ts';
import { runPath } from './run-actions.ts';
import { RunDuration } from './run-duration.tsx';
import { isSettled, runUuid } from './run-queries.ts';
import { RunStatus } from './run-status.tsx';
import type { SentRun } from './sent-runs.ts';

/** Runs that were sent from this browser, with their current status. */
export function RecentRuns({ runs }: { runs: readonly SentRun[] }): ReactNode {
  const navigate = useNavigate();
  const [current, setCurrent] = useState<string>();
  const open = ({ runId, threadId }: SentRun): void =>
    void navigate(runPath({ run_id: runId, thread_id: threadId }));
  return (
    <VirtualList
      label="Runs sent from here"
      items={runs}
      idOf={({ runId }) => runId}
      rowHeight={32}
      currentId={current}
      onMove={({ runId }) => setCurrent(runId)}
      onOpen={open}
      renderRow={(sent) => <RecentRun sent={sent} onOpen={open} />}
    />
  );
}

function RecentRun(props: { sent: SentRun; onOpen: (sent: SentRun) => void }): ReactNode {
  const { sent, onOpen } = props;
  const run = useQuery({
    queryKey: ['recent-run', sent.runId],
    queryFn: async ({ signal }) =>
      (await getRun({ path: { run_id: sent.runId }, signal, throwOnError: true })).data,
    refetchInterval: ({ state }) =>
      state.data !== undefined && !isSettled(state.data.status) ? 2_000 : false,
    staleTime: 30_000,
  });
  const isDeleted = run.error instanceof ApiError && run.error.status === 404;
  return (
    <div className="run-row run-row-recent" onClick={() => onOpen(sent)}>
      <ShortId id={runUuid(sent.runId)} isPlain />
      <span>
        {run.data === undefined ? (
          isDeleted && <span className="dim">deleted</span>
        ) : (
          <RunStatus run={run.data} filled={false} />
        )}
      </span>
      <span>{agentOf(sent) ?? run.data?.agent_id}</span>
      <span className="run-row-preview">{inputPreview(sent)}</span>
      <TimeAgo time={new Date(sent.sentAt).toISOString()} />
      {run.data === undefined ? <span /> : <RunDuration run={run.data} />}
    </div>
  );
}

function agentOf({ body }: SentRun): string | undefined {
  return body === undefined ? undefined : textOf(body, 'agent_id');
}

function inputPreview({ body }: SentRun): string {
  if (body === undefined) return 'input too large to store';
  return JSON.stringify(body['command'] ?? body['input'] ?? null).slice(0, 200);
}
