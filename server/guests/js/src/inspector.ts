import { open, url, waitForDebugger } from 'node:inspector';

import type { OutputCapture } from './output-capture.ts';

/**
 * Opens Node's inspector before any agent is imported, and reports its URL to the host: that owns the port that clients
 * know, and forwards them here. Returns when the agents may be imported.
 */
export function openInspector(
  { waitForClient }: { waitForClient: boolean },
  capture: Pick<OutputCapture, 'event'>,
): void {
  open(0, '127.0.0.1');
  capture.event('debugger', { port: Number(new URL(url() ?? '').port) });
  // Not as an argument of `open`, which would report the URL too late.
  if (waitForClient) waitForDebugger();
}
