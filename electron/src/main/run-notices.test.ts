import { describe, expect, it } from 'vitest';
import { createRunNotices, type NotificationText } from './run-notices.ts';

const notice = {
  title: 'approval waits for an answer',
  body: 'Thread refund',
  path: '/threads/refund/runs/01a1ffd9-042e-7508-92d5-aa758258de62',
};

function makeNotices({ isWanted = true } = {}) {
  const shown: NotificationText[] = [];
  const clicks: (() => void)[] = [];
  const opened: string[] = [];
  const announce = createRunNotices({
    isWanted: () => isWanted,
    show: (text, onClick) => {
      shown.push(text);
      clicks.push(onClick);
    },
    open: (path) => opened.push(path),
  });
  return { announce, shown, clicks, opened };
}

describe('the notification of a run', () => {
  it('is shown once, and its click opens the run', () => {
    const { announce, shown, clicks, opened } = makeNotices();
    announce(notice);
    announce(notice);
    expect(shown).toEqual([{ title: notice.title, body: notice.body }]);
    clicks[0]?.();
    expect(opened).toEqual([notice.path]);
  });

  it('is not shown while the window is in front, or when the setting is off', () => {
    const { announce, shown } = makeNotices({ isWanted: false });
    announce(notice);
    expect(shown).toEqual([]);
  });
});
