import { useEffect, useState, useSyncExternalStore } from 'react';
import { openRunStream, type RunStream, type RunStreamSnapshot } from '../../api/run-stream.ts';
import { usePrincipal } from '../../state/principal.ts';

/** Follows a run while the calling component is mounted. */
export function useRunStream(threadId: string, runId: string): RunStream | undefined {
  const principal = usePrincipal(({ active }) => active);
  const [slot] = useState(createStreamSlot);
  useEffect(() => slot.hold(threadId, runId), [slot, threadId, runId, principal]);
  return useSyncExternalStore(slot.subscribe, slot.read);
}

/** Owns the one open stream of a component. */
function createStreamSlot() {
  let stream: RunStream | undefined;
  const listeners = new Set<() => void>();
  function put(next: RunStream | undefined): void {
    stream = next;
    for (const listener of listeners) listener();
  }
  return {
    read: () => stream,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Opens a stream; returns the function that closes it. */
    hold(threadId: string, runId: string): () => void {
      const opened = openRunStream({ threadId, runId, subgraphs: true });
      put(opened);
      return () => {
        opened.close();
        if (stream === opened) put(undefined);
      };
    },
  };
}

const unsubscribed = (): (() => void) => () => undefined;

/** The current snapshot of the stream; the calling component renders with every frame in which it changed. */
export function useStreamSnapshot(stream: RunStream | undefined): RunStreamSnapshot | undefined {
  return useSyncExternalStore(stream?.subscribe ?? unsubscribed, () => stream?.getSnapshot());
}

/** One member of the snapshot; renders only when it changes. */
export function useStreamMember<Value>(
  stream: RunStream | undefined,
  member: (snapshot: RunStreamSnapshot) => Value,
): Value | undefined {
  return useSyncExternalStore(stream?.subscribe ?? unsubscribed, () => {
    const snapshot = stream?.getSnapshot();
    return snapshot === undefined ? undefined : member(snapshot);
  });
}
