import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { ApiError } from '../../../api/errors.ts';
import { updateState } from '../../../api/generated/sdk.gen.ts';
import type { ThreadWithValues } from '../../../api/generated/types.gen.ts';
import { ErrorView } from '../../../ui/error-view.tsx';
import { JsonDiff } from '../../../ui/json/json-diff.tsx';
import { JsonEditor } from '../../../ui/json/json-editor.tsx';
import { useMemberChanges } from '../../../ui/json/use-member-changes.ts';
import { dropStateDraft, keepStateDraft, stateDraft } from './state-drafts.ts';
import { type StateChange, stateChange } from './state-change.ts';

interface StateEditorProps {
  /** The thread at the start of the edit. */
  readonly base: ThreadWithValues;
  /** The current thread. */
  readonly now: ThreadWithValues;
  /** Starts again with the current thread. */
  readonly onRebase: () => void;
  readonly onClose: () => void;
}

/** Edits the state as JSON; what will be sent is shown as a difference first. */
export function StateEditor({ base, now, onRebase, onClose }: StateEditorProps): ReactNode {
  const queryClient = useQueryClient();
  const original = useMemo(() => JSON.stringify(base.values, null, 2), [base]);
  const [text, setText] = useState(() => stateDraft(base.thread_id)?.text ?? original);
  const write = (next: string): void => {
    setText(next);
    if (next === original) dropStateDraft(base.thread_id);
    else keepStateDraft(base.thread_id, { base, text: next });
  };
  const [isReviewing, setReviewing] = useState(false);
  const { changes, isPending } = useMemberChanges(original, base.values, text);
  const change = useMemo(() => changes && stateChange(base.values, changes), [base, changes]);
  const hasMoved = base.updated_at !== now.updated_at || base.status !== now.status;
  const save = useMutation({
    mutationFn: (body: StateChange['update']) =>
      updateState({ path: { thread_id: base.thread_id }, body, throwOnError: true }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['threads', 'one', base.thread_id] });
      onClose();
    },
  });
  const canReview = change !== undefined && Object.keys(change.update).length > 0;
  return (
    <div className="state-tab">
      {hasMoved && <Moved onRebase={onRebase} />}
      {isReviewing && change !== undefined ? (
        <Review base={base} change={change} />
      ) : (
        <JsonEditor
          label="State"
          text={text}
          onChange={write}
          error={change === undefined && !isPending ? 'The state is one JSON object.' : undefined}
        />
      )}
      {save.isError && <NotSaved error={save.error} onRebase={onRebase} />}
      <footer className="state-tab-actions">
        <span className="dim" aria-live="polite">
          {change === undefined ? '' : changeWords(change)}
        </span>
        <Button onClick={isReviewing ? () => setReviewing(false) : onClose}>
          {isReviewing ? 'Back to editing' : 'Cancel'}
        </Button>
        {isReviewing ? (
          <Button
            variant="filled"
            loading={save.isPending}
            onClick={() => save.mutate(change?.update ?? {})}
          >
            Save state
          </Button>
        ) : (
          <Button variant="filled" disabled={!canReview} onClick={() => setReviewing(true)}>
            Review changes
          </Button>
        )}
      </footer>
    </div>
  );
}

function changeWords({ update }: StateChange): string {
  const keys = Object.keys(update);
  if (keys.length === 0) return 'Nothing is different.';
  return `${keys.length === 1 ? 'Sets' : `Sets ${keys.length} keys:`} ${keys.join(', ')}`;
}

function Review({ base, change }: { base: ThreadWithValues; change: StateChange }): ReactNode {
  const { update, removed, removedMessages } = change;
  // Only what is sent: the rest of the state stays as it is.
  const before = useMemo(
    () => Object.fromEntries(Object.entries(base.values).filter(([key]) => key in update)),
    [update, base],
  );
  const after = useMemo(() => shown(before, update), [before, update]);
  return (
    <>
      {removed.length > 0 && (
        <p className="state-tab-note">
          An update sets keys and removes none: {removed.join(', ')} will stay.
        </p>
      )}
      {removedMessages > 0 && (
        <p className="state-tab-note">
          Messages are merged by their id: {removedMessages} that you removed will stay.
        </p>
      )}
      <JsonDiff before={before} after={after} labels={['now', 'after saving']} />
    </>
  );
}

/** The resulting keys: messages are merged by id, everything else is set as it is sent. */
function shown(
  before: Readonly<Record<string, unknown>>,
  update: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const old: unknown = before['messages'];
  const sent: unknown = update['messages'];
  if (!Array.isArray(old) || !Array.isArray(sent)) return update;
  const id = (message: unknown): unknown =>
    typeof message === 'object' && message !== null && 'id' in message ? message.id : undefined;
  const byId = new Map(sent.map((message) => [id(message), message as unknown]));
  const kept = old.map((message) => byId.get(id(message)) ?? (message as unknown));
  const known = new Set(old.map(id));
  const added = sent.filter((message) => id(message) === undefined || !known.has(id(message)));
  return { ...update, messages: [...kept, ...added] };
}

function Moved({ onRebase }: { onRebase: () => void }): ReactNode {
  return (
    <p className="state-tab-note" role="status">
      The thread has changed since you started. Saving still sets only what you changed.
      <Button size="compact-xs" onClick={onRebase}>
        Start again from the current state
      </Button>
    </p>
  );
}

function NotSaved({ error, onRebase }: { error: Error; onRebase: () => void }): ReactNode {
  const isBusy = error instanceof ApiError && error.code === 'thread_busy';
  return (
    <>
      <ErrorView error={error} title="The state was not saved" compact />
      {isBusy && (
        <p className="state-tab-note">
          A run is active on this thread, and its state is the run’s until it ends. Your edit is
          kept here.
          <Button size="compact-xs" onClick={onRebase}>
            Start again from the current state
          </Button>
        </p>
      )}
    </>
  );
}
