import { notifications } from '@mantine/notifications';
import { type ReactNode, useEffect } from 'react';
import { create } from 'zustand';
import type { Run } from '../../../api/generated/index.ts';
import { desktop } from '../../../desktop.ts';
import { useInViewStore } from '../../../state/in-view.ts';
import { shortenMiddle } from '../../../ui/format.ts';
import { StatusBadge } from '../../../ui/status-badge.tsx';
import { errorTitle } from '../run-error.tsx';
import './notices.css';
import { runPath } from '../../../state/page-paths.ts';

type Notice = Pick<Run, 'run_id' | 'thread_id'>;

/** The notices that were not seen yet. */
export const useNotices = create<{ readonly unseen: readonly Notice[] }>()(() => ({ unseen: [] }));

/** Shows that a run has ended or asks: in the page, in its title, and by the desktop; nothing when that is in view. */
export function announce(run: Run): void {
  if (isInView(run)) return;
  const { run_id, thread_id } = run;
  useNotices.setState(({ unseen }) => ({ unseen: [...unseen, { run_id, thread_id }] }));
  notifications.show({
    id: toastId(run),
    // Who is elsewhere sees it on coming back.
    autoClose: false,
    message: <NoticeText run={run} />,
    closeButtonProps: { 'aria-label': 'Close the notice' },
    onClose: () => see(run),
  });
  const [title, body] = wordsOf(run);
  void desktop?.app.announceRun({ title, body, path: runPath(run) });
}

/** Takes away the notices of what has come into view. */
export function useSeenNotices(): void {
  useEffect(() => {
    const seeAll = (): void => {
      for (const notice of useNotices.getState().unseen) if (isInView(notice)) see(notice);
    };
    document.addEventListener('visibilitychange', seeAll);
    const leave = useInViewStore.subscribe(seeAll);
    return () => {
      document.removeEventListener('visibilitychange', seeAll);
      leave();
    };
  }, []);
}

/** `(2) Agent Runtime` while two notices were not seen. */
export function useTitleMark(): void {
  const count = useNotices(({ unseen }) => unseen.length);
  useEffect(() => {
    const plain = document.title.replace(/^\(\d+\) /, '');
    document.title = count === 0 ? plain : `(${count}) ${plain}`;
  }, [count]);
}

function isInView({ run_id, thread_id }: Notice): boolean {
  const { counts } = useInViewStore.getState();
  return document.visibilityState === 'visible' && (counts.has(run_id) || counts.has(thread_id));
}

function see(notice: Notice): void {
  const { unseen } = useNotices.getState();
  const rest = unseen.filter(({ run_id }) => run_id !== notice.run_id);
  if (rest.length === unseen.length) return;
  useNotices.setState({ unseen: rest });
  notifications.hide(toastId(notice));
}

function toastId({ run_id }: Notice): string {
  return `run:${run_id}`;
}

/** The two lines of the system's notification. */
function wordsOf(run: Run): readonly [title: string, body: string] {
  const { agent_id, status, thread_id, error } = run;
  const thread = `Thread ${thread_id}`;
  switch (status) {
    case 'interrupted':
      return [`${agent_id} waits for an answer`, thread];
    case 'error':
      return [`${agent_id} failed`, error === undefined ? thread : errorTitle(error)];
    default:
      return [`${agent_id} ${status}`, thread];
  }
}

function NoticeText({ run }: { run: Run }): ReactNode {
  const { agent_id, status, error, thread_id } = run;
  const more = error === undefined ? `thread ${shortenMiddle(thread_id, 32)}` : errorTitle(error);
  return (
    <div className="run-notice row wrap">
      <StatusBadge status={status} />
      <strong className="clip grow">{agent_id}</strong>
      {/* A plain link: notices are shown outside the router's pages. */}
      <a href={`#${runPath(run)}`}>{status === 'interrupted' ? 'Answer' : 'Open run'}</a>
      <p className="clip dim" title={error === undefined ? thread_id : more}>
        {more}
      </p>
    </div>
  );
}
