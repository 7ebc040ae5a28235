// The debugger of the service: requests of the desktop, and reports to it.
import type { Debugging } from '../../../server/src/index.ts';
import type { DesktopChannel } from './run-service.ts';
import type { FromService, ToService } from './messages.ts';

type DebugMessage = Extract<ToService, { type: 'debug' }>;
type DebuggedView = Extract<FromService, { type: 'debugged' }>['view'];

/** Reports the state of the debugger, now and at every change. */
export function reportDebugging(debugging: Debugging, channel: DesktopChannel): void {
  channel.post({ type: 'debugging', view: debugging.view() });
  debugging.onChange((view) => channel.post({ type: 'debugging', view }));
}

/** Starts or stops the debugger and reports the result. Never rejects. */
export async function handleDebugging(
  { id, request }: DebugMessage,
  starting: Promise<{ readonly debugging: Debugging }> | undefined,
  channel: DesktopChannel,
): Promise<void> {
  const view = await act(request, starting).catch((error: unknown): DebuggedView => {
    const message = error instanceof Error ? error.message : String(error);
    return { state: 'failed', message };
  });
  channel.post({ type: 'debugged', id, view });
}

async function act(
  request: DebugMessage['request'],
  starting: Promise<{ readonly debugging: Debugging }> | undefined,
): Promise<DebuggedView> {
  const service = await starting;
  if (service === undefined) return { state: 'unavailable', message: 'No service runs.' };
  return request === undefined ? service.debugging.stop() : service.debugging.start(request);
}
