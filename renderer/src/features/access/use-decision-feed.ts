import { useEffect, useState, useSyncExternalStore } from 'react';
import { request } from '../../api/client.ts';
import { windowStreams } from '../../api/window-streams.ts';
import {
  createDecisionFeed,
  type DecisionFeed,
  type DecisionFeedSnapshot,
  type DecisionFilter,
} from '../../api/decision-feed.ts';
import { usePrincipal } from '../../state/principal.ts';
import type { AccessParams } from './access-params.ts';

/** Typed filters are applied after this pause. */
const debounceMs = 250;
/** Hidden windows draw no frames, but their counts continue. */
const hiddenMs = 250;

/** The matching decisions, while the calling component is mounted. */
export function useDecisionFeed(params: AccessParams): {
  feed: DecisionFeed | undefined;
  snapshot: DecisionFeedSnapshot | undefined;
} {
  const principal = usePrincipal(({ active }) => active);
  const [slot] = useState(createFeedSlot);
  const wanted = JSON.stringify(filterOf(params));
  useEffect(() => slot.hold(wanted), [slot, wanted, principal]);
  const feed = useSyncExternalStore(slot.subscribe, slot.read);
  const snapshot = useSyncExternalStore(feed?.subscribe ?? unsubscribed, () => feed?.getSnapshot());
  return { feed, snapshot };
}

function filterOf({
  subject,
  operation,
  resource,
  request,
  decision,
}: AccessParams): DecisionFilter {
  return {
    ...(subject !== '' && { subject }),
    ...(operation !== '' && { operation }),
    ...(resource !== '' && { resource }),
    ...(request !== '' && { request_id: request }),
    ...(decision !== '' && { decision }),
  };
}

const unsubscribed = (): (() => void) => () => undefined;

/** Owns the one open feed of the page. The one before is shown until the next one is open. */
function createFeedSlot() {
  let feed: DecisionFeed | undefined;
  const listeners = new Set<() => void>();
  const open = (filter: string): void => {
    feed?.close();
    feed = createDecisionFeed(JSON.parse(filter) as DecisionFilter, {
      connect: request,
      schedule: nextFrame,
      slots: windowStreams,
    });
    for (const listener of listeners) listener();
  };
  return {
    read: () => feed,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Opens a feed, the first one at once; returns the function that closes it. */
    hold(filter: string): () => void {
      if (feed === undefined) {
        open(filter);
        return () => feed?.close();
      }
      const timer = setTimeout(() => open(filter), debounceMs);
      return () => {
        clearTimeout(timer);
        feed?.close();
      };
    },
  };
}

function nextFrame(deliver: () => void): void {
  if (document.hidden) setTimeout(deliver, hiddenMs);
  else requestAnimationFrame(deliver);
}
