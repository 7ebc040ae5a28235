import { useEffect, useState, useSyncExternalStore } from 'react';
import { request } from '../../api/client.ts';
import {
  createDecisionFeed,
  type DecisionFeed,
  type DecisionFeedSnapshot,
  type DecisionFilter,
} from '../../api/decision-feed.ts';
import { usePrincipal } from '../../state/principal.ts';
import type { AccessPlace } from './access-place.ts';

/** What is typed is asked for once the hand has come to rest. */
const restAfterMs = 250;
/** Hidden windows draw no frames, but their counts go on. */
const hiddenMs = 250;

/** The decisions that fit, while the calling part is on the page. */
export function useDecisionFeed(place: AccessPlace): {
  feed: DecisionFeed | undefined;
  snapshot: DecisionFeedSnapshot | undefined;
} {
  const principal = usePrincipal(({ active }) => active);
  const [slot] = useState(createFeedSlot);
  const wanted = JSON.stringify(filterOf(place));
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
}: AccessPlace): DecisionFilter {
  return {
    ...(subject !== '' && { subject }),
    ...(operation !== '' && { operation }),
    ...(resource !== '' && { resource }),
    ...(request !== '' && { request_id: request }),
    ...(decision !== '' && { decision }),
  };
}

const unsubscribed = (): (() => void) => () => undefined;

/** Holds the one open feed of the page. The one before is shown until the next one is there. */
function createFeedSlot() {
  let feed: DecisionFeed | undefined;
  const listeners = new Set<() => void>();
  const open = (filter: string): void => {
    feed?.close();
    feed = createDecisionFeed(JSON.parse(filter) as DecisionFilter, {
      connect: request,
      schedule: nextFrame,
    });
    for (const listener of listeners) listener();
  };
  return {
    read: () => feed,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Opens a feed, the first one at once; returns what closes it. */
    hold(filter: string): () => void {
      if (feed === undefined) {
        open(filter);
        return () => feed?.close();
      }
      const timer = setTimeout(() => open(filter), restAfterMs);
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
