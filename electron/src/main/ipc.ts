// The only file that uses ipcMain. Senders are checked, payloads are parsed, and errors are returned as data.
import { type IpcMainInvokeEvent, ipcMain, type WebContents } from 'electron';
import {
  type Notice,
  type NoticeName,
  type RequestInput,
  type RequestName,
  type RequestOutput,
  requests,
} from '../ipc/channels.ts';
import type { DesktopError, Reply } from '../ipc/contract.ts';
import { DesktopFailure } from './desktop-failure.ts';

/** One function per channel; each gets what its schema has parsed. */
export type Handlers = {
  readonly [N in RequestName]: (
    input: RequestInput<N>,
  ) => RequestOutput<N> | Promise<RequestOutput<N>>;
};

export interface IpcOptions {
  /** Whether a frame at this URL may send requests. */
  isOwnPage: (url: string) => boolean;
  /** Called with every unexpected error. */
  onError: (channel: string, error: unknown) => void;
}

/** Handles the window's requests; every channel of the table has its handler. */
export function handleRequests(handlers: Handlers, options: IpcOptions): void {
  // Object.keys widens; the table has exactly these.
  for (const name of Object.keys(requests) as RequestName[]) handle(name, handlers, options);
}

function handle<N extends RequestName>(name: N, handlers: Handlers, options: IpcOptions): void {
  ipcMain.handle(name, async (event, raw: unknown): Promise<Reply<RequestOutput<N>>> => {
    if (!isTrusted(event, options)) {
      options.onError(
        name,
        new Error(`refused ${event.senderFrame?.url ?? 'a frame that no longer exists'}`),
      );
      return refuse('foreign_sender', 'This page may not send requests to the desktop.');
    }
    const input = requests[name].input.safeParse(raw);
    if (!input.success) {
      const [issue] = input.error.issues;
      const where =
        issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
      return refuse('bad_payload', `${where}${issue?.message ?? 'wrong'}`);
    }
    try {
      // The schema of this very channel has just parsed it.
      return { ok: true, value: await handlers[name](input.data as RequestInput<N>) };
    } catch (error) {
      return { ok: false, error: asDesktopError(name, error, options) };
    }
  });
}

/** Only the top frame of our own page: an embedded frame shares the preload's channels. */
function isTrusted({ senderFrame, sender }: IpcMainInvokeEvent, options: IpcOptions): boolean {
  return (
    senderFrame !== null && senderFrame === sender.mainFrame && options.isOwnPage(senderFrame.url)
  );
}

function refuse(code: string, message: string): { ok: false; error: DesktopError } {
  return { ok: false, error: { code, message } };
}

function asDesktopError(name: string, error: unknown, { onError }: IpcOptions): DesktopError {
  if (error instanceof DesktopFailure) return { code: error.code, message: error.message };
  onError(name, error);
  return { code: 'internal', message: 'An unexpected error occurred; the log has more.' };
}

/** Sends a notice to a window, unless it is destroyed. */
export function notify<N extends NoticeName>(to: WebContents, name: N, notice: Notice<N>): void {
  if (!to.isDestroyed()) to.send(name, notice);
}
