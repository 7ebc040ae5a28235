/*
 * The debugger is the service's (`Service.debugging`): `service/debug-session.ts` passes it on, `main/debugging.ts`
 * follows it across starts and reports why there is none. The page makes the entry for VS Code; main lets through
 * only one that attaches on this machine, since an entry can also start programs, and changes in `.vscode/launch.json`
 * only what differs (`main/launch-json.ts`), atomically, with undo (`main/launch-file.ts`).
 */
import type { DebuggingRequest, DebuggingView, ServiceView } from '../ipc/contract.ts';
import type { FromService } from '../service/messages.ts';
import { DesktopFailure } from './desktop-failure.ts';
import type { ServiceLink } from './service-host.ts';

/** Controls the debugger of the service behind the window. */
export interface DebuggingController {
  view(): DebuggingView;
  /** Resolves when a debugger can attach, or with the reason why not. */
  start(request: DebuggingRequest): Promise<DebuggingView>;
  stop(): Promise<DebuggingView>;
  onChange(listener: (view: DebuggingView) => void): void;
}

/** What this needs of the service's control. */
interface Control {
  readonly view: ServiceView;
  readonly link: ServiceLink | undefined;
  onChange(listener: (view: ServiceView) => void): void;
}

/** Follows the service across starts: its debugger ends with it. */
export function openDebugging(control: Control): DebuggingController {
  const listeners = new Set<(view: DebuggingView) => void>();
  const waiting = new Map<number, (view: DebuggingView) => void>();
  let link: ServiceLink | undefined;
  let current: DebuggingView = { state: 'off' };
  let requestCount = 0;
  let lastNotice = '';

  const view = (): DebuggingView => whyNot(control.view) ?? current;

  const notify = (): void => {
    const now = view();
    const text = JSON.stringify(now);
    if (text === lastNotice) return;
    lastNotice = text;
    for (const listener of listeners) listener(now);
  };

  const receive = (message: FromService): void => {
    if (message.type === 'debugged') waiting.get(message.id)?.(message.view);
    if (message.type === 'debugging' || message.type === 'debugged') {
      current = message.view;
      notify();
    }
  };

  const follow = (): void => {
    const { link: newest } = control;
    if (newest !== link) {
      link = newest;
      current = { state: 'off' };
      newest?.onMessage((message) => {
        if (link === newest) receive(message);
      });
    }
    notify();
  };
  control.onChange(follow);

  const send = async (request?: DebuggingRequest): Promise<DebuggingView> => {
    follow();
    const reason = whyNot(control.view)?.message;
    if (link === undefined || reason !== undefined) {
      throw new DesktopFailure('not_possible', reason ?? 'No service runs.');
    }
    const id = (requestCount += 1);
    const response = new Promise<DebuggingView>((resolve) => waiting.set(id, resolve));
    const ended = link.ended.then((): never => {
      throw new DesktopFailure('not_possible', 'The service ended meanwhile.');
    });
    link.post({ type: 'debug', id, ...(request === undefined ? {} : { request }) });
    return Promise.race([response, ended]).finally(() => waiting.delete(id));
  };

  return {
    view,
    start: send,
    stop: () => send(),
    onChange: (listener) => void listeners.add(listener),
  };
}

/** Why this service offers no debugger; undefined when it does. */
function whyNot({ state, url, failure }: ServiceView): DebuggingView | undefined {
  if (state === 'ready' || failure?.code === 'engine_unavailable') return undefined;
  const message =
    state === 'remote'
      ? `The service at ${url ?? 'an unknown URL'} runs on another machine: a debugger listens only on the machine of the service, and can be switched on only where the service is started.`
      : state === 'starting'
        ? 'The service is starting.'
        : 'No service runs: open the folder of your agents first.';
  return { state: 'unavailable', message };
}
