import { desktop } from '../desktop.ts';
import { createStreamSlots, type StreamSlots } from './stream-slots.ts';

/** What this window's streams share with those of the other windows of its browser. */
export const windowStreams: StreamSlots | undefined = openSlots();

function openSlots(): StreamSlots | undefined {
  // The desktop's window, and HTTP/2 through a proxy, have as many connections as they need; a page of another machine over
  // HTTP has no locks.
  if (desktop !== undefined || !('locks' in navigator) || isMultiplexed()) return undefined;
  try {
    const channel = new BroadcastChannel('studio-streams');
    return createStreamSlots({ locks: navigator.locks, channel, view: document });
  } catch {
    // Some browsers refuse it where a page may keep no data.
    return undefined;
  }
}

function isMultiplexed(): boolean {
  const [navigation] = performance.getEntriesByType('navigation');
  const protocol = navigation instanceof PerformanceNavigationTiming && navigation.nextHopProtocol;
  return protocol === 'h2' || protocol === 'h3';
}
