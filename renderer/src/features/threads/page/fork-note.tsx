import { Button } from '@mantine/core';
import { IconGitCompare, IconGitFork } from '@tabler/icons-react';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useMatch, useNavigate } from 'react-router';
import { Refusal } from '../../../api/errors.ts';
import type { ThreadWithValues } from '../../../api/generated/types.gen.ts';
import { searchThreads } from '../../../api/queries/thread-search.ts';
import { ErrorView } from '../../../ui/error-view.tsx';
import { shortenMiddle } from '../../../ui/format.ts';
import { tip } from '../../../ui/tip.tsx';
import { readOriginRun, type ThreadOrigin } from './origin-run.ts';
import { comparePath, threadPath } from '../../../state/page-paths.ts';
import { threadKeys } from '../../../api/queries/thread-keys.ts';

/** The thread that another one is a copy of; null when it was deleted, or may not be read. */
function originQuery(threadId: string) {
  return queryOptions({
    queryKey: threadKeys.row(threadId, 'origin'),
    queryFn: async ({ signal }) => {
      const { threads } = await searchThreads({ ids: [threadId] }, { limit: 1, signal });
      return threads[0] ?? null;
    },
    staleTime: 30_000,
    retry: false,
  });
}

interface ForkNoteProps {
  readonly thread: ThreadWithValues;
  /** The newest run of the thread; undefined while it has none. */
  readonly newestRunId: string | undefined;
}

/** Of a copy: what it was forked from, at which checkpoint, and the comparison with how that went on. */
export function ForkNote({ thread, newestRunId }: ForkNoteProps): ReactNode {
  const { copied_from: origin } = thread;
  const ofRun = useMatch('/threads/:threadId/runs/:runId')?.params.runId;
  if (origin === undefined) return undefined;
  const runId = ofRun === undefined ? newestRunId : `${thread.thread_id}_${ofRun.slice(-36)}`;
  return <Note key={origin.thread_id} origin={origin} runId={runId} />;
}

function Note({ origin, runId }: { origin: ThreadOrigin; runId: string | undefined }): ReactNode {
  const navigate = useNavigate();
  const found = useQuery(originQuery(origin.thread_id));
  const compare = useMutation({
    mutationFn: async () => {
      const run = await readOriginRun(origin);
      if (run === undefined) throw new Refusal('The origin has no run to compare with.');
      return run.run_id;
    },
    onSuccess: (a) => navigate(comparePath(a, runId ?? '')),
  });
  const isGone = found.data === null;
  const canCompare = runId !== undefined && !isGone;
  return (
    <>
      <p className="fork-note row dim">
        <IconGitFork size={14} aria-hidden />
        <span className="fork-note-text row">
          forked from <OriginLink origin={origin} title={found.data?.title} isGone={isGone} />
          {isGone && ', which was deleted or may not be read'}
        </span>
        <Button
          {...tip(
            runId === undefined
              ? 'This thread has no run yet'
              : 'This run beside the one that went on from the checkpoint in the origin',
          )}
          size="compact-xs"
          variant="subtle"
          leftSection={<IconGitCompare size={14} aria-hidden />}
          loading={compare.isPending}
          data-disabled={!canCompare || undefined}
          aria-disabled={!canCompare || undefined}
          onClick={() => canCompare && compare.mutate()}
        >
          Compare with the origin
        </Button>
      </p>
      {compare.isError && (
        <ErrorView error={compare.error} title="The runs could not be compared" compact />
      )}
    </>
  );
}

interface OriginLinkProps {
  readonly origin: ThreadOrigin;
  readonly title: string | undefined;
  readonly isGone: boolean;
}

function OriginLink({ origin, title, isGone }: OriginLinkProps): ReactNode {
  const { thread_id: threadId, checkpoint_id: checkpointId, step } = origin;
  const name = title ?? shortenMiddle(threadId, 24);
  const text = (
    <>
      <span className="clip">{name}</span>
      {step !== undefined && ` at step ${step}`}
    </>
  );
  if (isGone) return text;
  const search =
    checkpointId === undefined ? undefined : `?${new URLSearchParams({ at: checkpointId })}`;
  return (
    <Link to={{ pathname: threadPath(threadId, search && 'checkpoints'), search }} title={threadId}>
      {text}
    </Link>
  );
}
