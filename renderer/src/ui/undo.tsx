import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type ReactNode, useEffect, useState } from 'react';
import { desktop } from '../desktop.ts';
import { ErrorView } from './error-view.tsx';
import './undo.css';

const undoFor = 10_000;

/** A destructive action, delayed for ten seconds. */
export interface Undoable {
  /** For example "Thread conv-1 deleted". */
  readonly label: string;
  /** Executes it, once the time to undo is over. */
  commit(): Promise<void>;
  /** Called instead of `commit` when the user undoes it. */
  undo(): void;
  /** The title of the error when `commit` fails. */
  readonly failed: string;
}

const pending = new Set<() => void>();
/** Commits that have begun and not ended. */
const committing = new Set<Promise<void>>();

/** Offers ten seconds to undo, then commits. A page that is closed meanwhile commits at once. */
export function offerUndo({ label, commit, undo, failed }: Undoable): void {
  const id = crypto.randomUUID();
  const timer = setTimeout(() => commitNow(), undoFor);
  const finish = (): boolean => {
    clearTimeout(timer);
    const isFirst = pending.delete(commitNow);
    notifications.hide(id);
    return isFirst;
  };
  const commitNow = (): void => {
    if (!finish()) return;
    const committed = commit()
      .catch((error: unknown) => {
        undo();
        notifications.show({
          autoClose: false,
          classNames: { root: 'undo-failure' },
          message: <ErrorView error={error} title={failed} compact />,
        });
      })
      .finally(() => committing.delete(committed));
    committing.add(committed);
  };

  pending.add(commitNow);
  notifications.show({
    id,
    autoClose: false,
    withCloseButton: false,
    message: (
      <UndoNote
        label={label}
        onUndo={() => {
          if (finish()) undo();
        }}
      />
    ),
  });
}

/** Commits all pending actions; resolves when every commit has ended. For a page or a service that is being closed, and for tests. */
export async function commitPending(): Promise<void> {
  for (const commitNow of pending) commitNow();
  await Promise.all(committing);
}

if (typeof window !== 'undefined') window.addEventListener('pagehide', () => void commitPending());
// The desktop asks before it stops or replaces the service, and before it quits.
desktop?.app.onSettle((request) => {
  void commitPending().then(() => desktop?.app.settled(request));
});

function UndoNote({ label, onUndo }: { label: string; onUndo(): void }): ReactNode {
  const [remaining, setRemaining] = useState(undoFor / 1_000);
  useEffect(() => {
    const timer = setInterval(() => setRemaining((seconds) => Math.max(0, seconds - 1)), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <div className="row">
      <span className="grow">{label}</span>
      <Button onClick={onUndo}>Undo</Button>
      <span className="undo-note-remaining dim numeric" aria-hidden>
        {remaining} s
      </span>
    </div>
  );
}
