import { desktop } from '../desktop.ts';
import { createStreamSlots, type StreamSlots } from './stream-slots.ts';

/** The desktop's window has as many connections as it needs; a page of another machine over HTTP has no locks. */
const isShared =
  desktop === undefined && 'locks' in navigator && typeof BroadcastChannel === 'function';

/** What this window's streams share with those of the other windows of its browser. */
export const windowStreams: StreamSlots | undefined = isShared
  ? createStreamSlots({
      locks: navigator.locks,
      channel: new BroadcastChannel('studio-streams'),
      view: document,
    })
  : undefined;
