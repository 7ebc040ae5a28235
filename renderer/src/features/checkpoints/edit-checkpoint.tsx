import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { deleteThread, updateState } from '../../api/generated/sdk.gen.ts';
import { retryRequest, sendRun } from '../../api/send-run.ts';
import { forkThread } from '../../api/fork-thread.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { jsonCall, type JsonDocument } from '../../ui/json/json-client.ts';
import { isRecord } from '../../api/json-record.ts';
import { useListSearch } from '../../state/list-search.ts';
import { JsonDiff } from '../../ui/json/json-diff.tsx';
import { JsonEditor } from '../../ui/json/json-editor.tsx';
import { useMemberChanges } from '../../ui/json/use-member-changes.ts';
import { PageSkeleton } from '../../ui/page-skeleton.tsx';
import type { Checkpoint } from './checkpoint.ts';
import { runPath } from './checkpoint-tree.tsx';
import { stateEdit } from './state-edit.ts';
import { useCheckpointValues } from './use-checkpoint-values.ts';

interface EditCheckpointProps {
  readonly threadId: string;
  readonly checkpoint: Checkpoint;
  readonly onClose: () => void;
}

/** Changes the state of a checkpoint: edited, reviewed as a difference, then set on a copy of the thread. */
export function EditCheckpoint(props: EditCheckpointProps): ReactNode {
  const { data, error } = useCheckpointValues(props.threadId, props.checkpoint.id);
  if (error !== null) return <ErrorView error={error} title="The values could not be read" />;
  return data === undefined ? (
    <PageSkeleton label="Reading the values" />
  ) : (
    <LoadText {...props} document={data} />
  );
}

function LoadText(props: EditCheckpointProps & { document: JsonDocument }): ReactNode {
  const { document } = props;
  const { data } = useQuery({
    queryKey: ['checkpoint-text', document.id],
    queryFn: async () => jsonCall('text', [document.id, []]),
    staleTime: Infinity,
    gcTime: 0,
  });
  return data === undefined ? <PageSkeleton /> : <EditForm {...props} original={data} />;
}

function EditForm(props: EditCheckpointProps & { original: string }): ReactNode {
  const { threadId, checkpoint, original, onClose } = props;
  const [text, setText] = useState(original);
  const [isReview, setReview] = useState(false);
  const navigate = useNavigate();
  const client = useQueryClient();
  const search = useListSearch();
  const composer = useListSearch({ compose: '1' });
  const before = useMemo<unknown>(() => JSON.parse(original), [original]);
  const { changes, isPending } = useMemberChanges(original, before, text);
  const { update, problem } = useMemo(
    () => (isPending ? { update: {}, problem: undefined } : stateEdit(before, changes)),
    [isPending, before, changes],
  );
  const after = useMemo(
    () => ({ ...(isRecord(before) ? before : {}), ...changes?.changed }),
    [before, changes],
  );
  const isSame = Object.keys(update).length === 0;
  // At the end of a run nothing is left to run: then the next input is composed.
  const canContinue = checkpoint.nextNodes.length > 0;
  const send = useMutation({
    mutationFn: async (isContinued: boolean) => {
      const copy = await forkThread(threadId, checkpoint);
      const path = { thread_id: copy };
      try {
        await updateState({ path, body: update, throwOnError: true });
        if (!isContinued) return { copy, run: undefined };
        const { agentId } = checkpoint;
        const thread = { thread_id: copy, ...(agentId !== undefined && { agent_id: agentId }) };
        return { copy, run: await sendRun(retryRequest(thread)) };
      } catch (error) {
        // A state or a run that is refused leaves no copy behind; the error to show is that one.
        await deleteThread({ path, throwOnError: true }).catch(() => undefined);
        throw error;
      }
    },
    onSuccess: ({ copy, run }) => {
      void client.invalidateQueries({ queryKey: ['threads'] });
      return run === undefined
        ? navigate({ pathname: `/threads/${encodeURIComponent(copy)}/runs`, search: composer })
        : navigate({ pathname: runPath(copy, run.run_id.slice(-36)), search });
    },
  });

  return (
    <section className="checkpoint-detail" aria-label="Edit the state">
      <header className="checkpoint-head">
        <h2>{isReview ? 'Review the change' : 'Edit this state and continue'}</h2>
        <p className="dim">
          A copy of the thread, as of this checkpoint, gets these values; the thread itself is not
          changed.{' '}
          {canContinue
            ? `The copy continues with ${checkpoint.nextNodes.join(', ')}.`
            : 'No step is left at this checkpoint: you compose the run that continues.'}
        </p>
      </header>
      <div className="checkpoint-body">
        {isReview ? (
          <JsonDiff before={before} after={after} labels={['before', 'edited']} />
        ) : (
          <JsonEditor label="State" text={text} onChange={setText} error={problem} />
        )}
      </div>
      {send.error !== null && (
        <ErrorView error={send.error} title="The copy could not be changed" compact />
      )}
      <footer className="checkpoint-foot">
        <Button onClick={isReview ? () => setReview(false) : onClose}>
          {isReview ? 'Back to the text' : 'Discard'}
        </Button>
        {isReview ? (
          <>
            <Button
              variant={canContinue ? 'default' : 'filled'}
              loading={send.isPending && !send.variables}
              disabled={send.isPending}
              onClick={() => send.mutate(false)}
            >
              Copy and compose a run
            </Button>
            {canContinue && (
              <Button
                variant="filled"
                loading={send.isPending && send.variables}
                disabled={send.isPending}
                onClick={() => send.mutate(true)}
              >
                Continue with this state
              </Button>
            )}
          </>
        ) : (
          <Button
            variant="filled"
            disabled={problem !== undefined || isSame}
            onClick={() => setReview(true)}
          >
            Review the change
          </Button>
        )}
      </footer>
    </section>
  );
}
