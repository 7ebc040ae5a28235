// The only file that touches ipcMain. Whoever asks is checked, what they say is parsed, and errors go back as data.
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

/** One function per channel; each gets what its schema has let through. */
export type Handlers = {
  readonly [N in RequestName]: (
    input: RequestInput<N>,
  ) => RequestOutput<N> | Promise<RequestOutput<N>>;
};

export interface IpcOptions {
  /** Whether a frame at this address may ask. */
  isOwnPage: (url: string) => boolean;
  /** Told what went wrong inside, with all there is to know. */
  onError: (channel: string, error: unknown) => void;
}

/** Answers the window's requests; every channel of the table has its handler. */
export function answerRequests(handlers: Handlers, options: IpcOptions): void {
  // Object.keys widens; the table has exactly these.
  for (const name of Object.keys(requests) as RequestName[]) answer(name, handlers, options);
}

function answer<N extends RequestName>(name: N, handlers: Handlers, options: IpcOptions): void {
  ipcMain.handle(name, async (event, raw: unknown): Promise<Reply<RequestOutput<N>>> => {
    if (!isTrusted(event, options)) {
      options.onError(
        name,
        new Error(`refused ${event.senderFrame?.url ?? 'a frame that is gone'}`),
      );
      return refuse('foreign_sender', 'This page may not ask the desktop.');
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
  return { code: 'internal', message: 'Something unforeseen happened; the log has more.' };
}

/** Tells a window something; one that is gone is told nothing. */
export function tell<N extends NoticeName>(to: WebContents, name: N, notice: Notice<N>): void {
  if (!to.isDestroyed()) to.send(name, notice);
}
