import type { RunNotice } from '../ipc/channels.ts';

/** What a notification shows. */
export type NotificationText = Pick<RunNotice, 'title' | 'body'>;

export interface RunNoticePorts {
  /** Whether the setting is on, and the window not in front. */
  isWanted(): boolean;
  show(text: NotificationText, onClick: () => void): void;
  /** Brings the window to the front, at this route of the page. */
  open(path: RunNotice['path']): void;
}

/** Shows one notification for each run; a click on it opens the run. */
export function createRunNotices({ isWanted, show, open }: RunNoticePorts) {
  const announced = new Set<string>();
  return ({ path, title, body }: RunNotice): void => {
    if (announced.has(path)) return;
    announced.add(path);
    if (isWanted()) show({ title, body }, () => open(path));
  };
}
