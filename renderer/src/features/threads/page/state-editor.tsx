import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { ApiError } from '../../../api/errors.ts';
import { updateState } from '../../../api/generated/sdk.gen.ts';
import type { ThreadWithValues } from '../../../api/generated/types.gen.ts';
import { ErrorView } from '../../../ui/error-view.tsx';
import { StateEdit } from '../../../ui/state-edit/state-edit.tsx';
import { dropStateDraft, keepStateDraft, stateDraft } from './state-drafts.ts';
import { threadKeys } from '../../../api/queries/thread-keys.ts';

interface StateEditorProps {
  /** The thread at the start of the edit. */
  readonly base: ThreadWithValues;
  /** The current thread. */
  readonly now: ThreadWithValues;
  /** Starts again with the current thread. */
  readonly onRebase: () => void;
  readonly onClose: () => void;
}

/** Edits the state of a thread; what was not sent is kept while another page is open. */
export function StateEditor({ base, now, onRebase, onClose }: StateEditorProps): ReactNode {
  const queryClient = useQueryClient();
  const original = useMemo(() => JSON.stringify(base.values, null, 2), [base]);
  const [text, setText] = useState(() => stateDraft(base.thread_id)?.text ?? original);
  const write = (next: string): void => {
    setText(next);
    if (next === original) dropStateDraft(base.thread_id);
    else keepStateDraft(base.thread_id, { base, text: next });
  };
  const hasMoved = base.updated_at !== now.updated_at || base.status !== now.status;
  const save = useMutation({
    mutationFn: (body: Readonly<Record<string, unknown>>) =>
      updateState({ path: { thread_id: base.thread_id }, body, throwOnError: true }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: threadKeys.values(base.thread_id) });
      onClose();
    },
  });
  const again = (
    <Button size="compact-xs" onClick={onRebase}>
      Start again from the current state
    </Button>
  );
  return (
    <StateEdit
      original={original}
      before={base.values}
      text={text}
      onText={write}
      onCancel={onClose}
      head={
        hasMoved && (
          <p className="note" role="status">
            The thread has changed since you started. Saving still sets only what you changed.
            {again}
          </p>
        )
      }
      send={(update) => (
        <Button variant="filled" loading={save.isPending} onClick={() => save.mutate(update)}>
          Save state
        </Button>
      )}
    >
      {save.isError && <ErrorView error={save.error} title="The state was not saved" compact />}
      {save.error instanceof ApiError && save.error.code === 'thread_busy' && (
        <p className="note">
          A run is active on this thread, and its state is the run’s until it ends. Your edit is
          kept here.
          {again}
        </p>
      )}
    </StateEdit>
  );
}
