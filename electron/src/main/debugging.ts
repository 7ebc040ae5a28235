/*
 * The debugger is the service's (`Service.debugging`): `service/debug-session.ts` passes it on, `main/debugging.ts`
 * follows it from start to start and says why there is none. The page makes the entry for VS Code; main lets through
 * only one that attaches on this machine, since an entry can also start programs, and changes in `.vscode/launch.json`
 * only what differs (`main/launch-json.ts`), whole or not at all, and back again (`main/launch-file.ts`).
 */
import type { DebuggingRequest, DebuggingView, ServiceView } from '../ipc/contract.ts';
import type { FromService } from '../service/messages.ts';
import { DesktopFailure } from './desktop-failure.ts';
import type { ServiceLink } from './service-host.ts';

/** The debugger of the service behind the window. */
export interface DebuggingDesk {
  view(): DebuggingView;
  /** Resolves when a debugger can attach, or with why not. */
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

/** Follows the service from start to start: its debugger goes with it. */
export function openDebugging(control: Control): DebuggingDesk {
  const listeners = new Set<(view: DebuggingView) => void>();
  const waiting = new Map<number, (view: DebuggingView) => void>();
  let link: ServiceLink | undefined;
  let known: DebuggingView = { state: 'off' };
  let asked = 0;
  let told = '';

  const view = (): DebuggingView => whyNot(control.view) ?? known;

  const tell = (): void => {
    const now = view();
    const text = JSON.stringify(now);
    if (text === told) return;
    told = text;
    for (const listener of listeners) listener(now);
  };

  const hear = (message: FromService): void => {
    if (message.type === 'debugged') waiting.get(message.id)?.(message.view);
    if (message.type === 'debugging' || message.type === 'debugged') {
      known = message.view;
      tell();
    }
  };

  const follow = (): void => {
    const { link: current } = control;
    if (current !== link) {
      link = current;
      known = { state: 'off' };
      current?.onMessage((message) => {
        if (link === current) hear(message);
      });
    }
    tell();
  };
  control.onChange(follow);

  const ask = async (request?: DebuggingRequest): Promise<DebuggingView> => {
    follow();
    const reason = whyNot(control.view)?.message;
    if (link === undefined || reason !== undefined) {
      throw new DesktopFailure('not_possible', reason ?? 'No service runs.');
    }
    const id = (asked += 1);
    const answer = new Promise<DebuggingView>((resolve) => waiting.set(id, resolve));
    const ended = link.ended.then((): never => {
      throw new DesktopFailure('not_possible', 'The service ended meanwhile.');
    });
    link.post({ type: 'debug', id, ...(request === undefined ? {} : { request }) });
    return Promise.race([answer, ended]).finally(() => waiting.delete(id));
  };

  return {
    view,
    start: ask,
    stop: () => ask(),
    onChange: (listener) => void listeners.add(listener),
  };
}

/** Why there is no debugger to be had of this service; undefined when there is. */
function whyNot({ state, url, failure }: ServiceView): DebuggingView | undefined {
  if (state === 'ready' || failure?.code === 'engine_unavailable') return undefined;
  const message =
    state === 'remote'
      ? `The service at ${url ?? 'another place'} runs elsewhere: a debugger listens only on the machine of the service, and only whoever starts the service can switch it on.`
      : state === 'starting'
        ? 'The service is starting.'
        : 'No service runs: open the folder of your agents first.';
  return { state: 'unavailable', message };
}
