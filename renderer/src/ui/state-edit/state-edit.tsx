import { Button } from '@mantine/core';
import { useMemo, useState, type ReactNode } from 'react';
import { isRecord } from '../../api/json-record.ts';
import { JsonDiff } from '../json/json-diff.tsx';
import { JsonEditor } from '../json/json-editor.tsx';
import { useMemberChanges } from '../json/use-member-changes.ts';
import { type StateUpdate, stateUpdate } from './state-update.ts';

interface StateEditProps {
  /** The state at the start, as it was printed. */
  readonly original: string;
  readonly before: unknown;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onCancel: () => void;
  /** The buttons that send the update, below its review. */
  readonly send: (update: StateUpdate['update']) => ReactNode;
  /** Above the text: what is edited, and what has happened to it meanwhile. */
  readonly head?: ReactNode;
  /** Why the update was refused. */
  readonly children?: ReactNode;
}

/** Edits a state as JSON; what will be sent is shown as a difference first. */
export function StateEdit(props: StateEditProps): ReactNode {
  const { original, before, text, onText, onCancel, send, head, children } = props;
  const [isReviewing, setReviewing] = useState(false);
  const { changes, isPending } = useMemberChanges(original, before, text);
  const { update, problem }: StateUpdate = useMemo(
    () => (isPending ? { update: {} } : stateUpdate(before, changes)),
    [isPending, before, changes],
  );
  const keys = Object.keys(update);
  return (
    <div className="pane">
      {head}
      {isReviewing && changes !== undefined ? (
        <JsonDiff
          before={membersOf(before, changes.changed)}
          after={changes.changed}
          labels={['now', 'edited']}
        />
      ) : (
        <JsonEditor label="State" text={text} onChange={onText} error={problem} />
      )}
      {children}
      <footer className="pane-foot">
        <span className="grow dim clip" aria-live="polite">
          {isPending || problem !== undefined ? '' : changeWords(keys)}
        </span>
        <Button onClick={isReviewing ? () => setReviewing(false) : onCancel}>
          {isReviewing ? 'Back to editing' : 'Discard'}
        </Button>
        {isReviewing ? (
          send(update)
        ) : (
          <Button variant="filled" disabled={keys.length === 0} onClick={() => setReviewing(true)}>
            Review changes
          </Button>
        )}
      </footer>
    </div>
  );
}

function changeWords(keys: readonly string[]): string {
  if (keys.length === 0) return 'Nothing is different.';
  return `${keys.length === 1 ? 'Sets' : `Sets ${keys.length} keys:`} ${keys.join(', ')}`;
}

/** Only what is sent: the rest of the state stays as it is. */
function membersOf(state: unknown, of: Readonly<Record<string, unknown>>): object {
  if (!isRecord(state)) return {};
  return Object.fromEntries(Object.entries(state).filter(([key]) => Object.hasOwn(of, key)));
}
