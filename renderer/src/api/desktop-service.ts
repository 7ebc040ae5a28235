import { useSyncExternalStore } from 'react';
import type { ServiceView } from '../../../electron/src/ipc/contract.ts';
import { desktop } from '../desktop.ts';
import { sourceOf } from './service-source.ts';

let view: ServiceView | undefined;
let isFollowed = false;
const listeners = new Set<() => void>();

function show(next: ServiceView): void {
  view = next;
  for (const listener of listeners) listener();
}

/** Followed from the first use on, once for all components of the page. */
function follow(): void {
  if (desktop === undefined || isFollowed) return;
  isFollowed = true;
  desktop.service.onChange(show);
  void desktop.service.view().then((reply) => {
    // A change that arrived meanwhile is the newer one.
    if (reply.ok && view === undefined) show(reply.value);
  });
}

function subscribe(listener: () => void): () => void {
  follow();
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The desktop's state of the service it runs; undefined in a browser, and until it is read. */
export function useDesktopService(): ServiceView | undefined {
  return useSyncExternalStore(subscribe, () => view);
}

/** Names the service of this moment: drafts and sent requests belong to it. In a browser it is that of the page. */
export function currentService(): string {
  follow();
  if (desktop === undefined) return globalThis.location.origin;
  return (view && sourceOf(view)) ?? '';
}

/** The same for a component, which renders again when it changes. */
export function useCurrentService(): string {
  return useSyncExternalStore(subscribe, currentService);
}
