import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { deleteThread, updateState } from '../../api/generated/sdk.gen.ts';
import { retryRequest, sendRun } from '../../api/send-run.ts';
import { forkThread } from '../../api/fork-thread.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { jsonCall, type JsonDocument } from '../../ui/json/json-client.ts';
import { useListSearch } from '../../state/list-search.ts';
import { PageSkeleton } from '../../ui/page-skeleton.tsx';
import { StateEdit } from '../../ui/state-edit/state-edit.tsx';
import type { StateUpdate } from '../../ui/state-edit/state-update.ts';
import type { Checkpoint } from './checkpoint.ts';
import { useCheckpointValues } from './use-checkpoint-values.ts';
import { runPath, threadPath } from '../../state/page-paths.ts';
import { threadKeys } from '../../api/queries/thread-keys.ts';

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

interface Send {
  readonly update: StateUpdate['update'];
  readonly isContinued: boolean;
}

function EditForm(props: EditCheckpointProps & { original: string }): ReactNode {
  const { threadId, checkpoint, original, onClose } = props;
  const [text, setText] = useState(original);
  const before = useMemo<unknown>(() => JSON.parse(original), [original]);
  const navigate = useNavigate();
  const client = useQueryClient();
  const search = useListSearch();
  const composer = useListSearch({ compose: '1' });
  // At the end of a run nothing is left to run: then the next input is composed.
  const canContinue = checkpoint.nextNodes.length > 0;
  const send = useMutation({
    mutationFn: async ({ update, isContinued }: Send) => {
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
      void client.invalidateQueries({ queryKey: threadKeys.heads });
      return run === undefined
        ? navigate({ pathname: threadPath(copy, 'runs'), search: composer })
        : navigate({ pathname: runPath(run), search });
    },
  });

  return (
    <section className="pane" aria-label="Edit the state">
      <StateEdit
        original={original}
        before={before}
        text={text}
        onText={setText}
        onCancel={onClose}
        head={
          <header className="detail-head">
            <h2>Edit this state and continue</h2>
            <p className="dim">
              A copy of the thread, as of this checkpoint, gets these values; the thread itself is
              not changed.{' '}
              {canContinue
                ? `The copy continues with ${checkpoint.nextNodes.join(', ')}.`
                : 'No step is left at this checkpoint: you compose the run that continues.'}
            </p>
          </header>
        }
        send={(update) => (
          <>
            <Button
              variant={canContinue ? 'default' : 'filled'}
              loading={send.isPending && !send.variables.isContinued}
              disabled={send.isPending}
              onClick={() => send.mutate({ update, isContinued: false })}
            >
              Copy and compose a run
            </Button>
            {canContinue && (
              <Button
                variant="filled"
                loading={send.isPending && send.variables.isContinued}
                disabled={send.isPending}
                onClick={() => send.mutate({ update, isContinued: true })}
              >
                Continue with this state
              </Button>
            )}
          </>
        )}
      >
        {send.error !== null && (
          <ErrorView error={send.error} title="The copy could not be changed" compact />
        )}
      </StateEdit>
    </section>
  );
}
