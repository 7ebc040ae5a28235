import { ServiceError } from '../../errors/service-error.ts';
import { debugProviders } from '../../model/debugging.ts';
import type { DebuggingView, DebugLaunch, DebugLink, DebugRequest } from './debugging.ts';
import { DebugRelay } from './debug-relay.ts';
import { IdeDialer } from './ide-dialer.ts';
import type { GuestLimits } from '../limits.ts';
import { DebugPatience } from '../pool/patience.ts';

/** The first request is small: a client without a valid one in this number of bytes is no debug adapter client. */
const MOST_OPENING_BYTES = 128 * 1024;

/** Whether a client begins with a whole message of the debug adapter protocol. */
function opensDebugAdapter(received: Buffer): boolean | 'more' {
  const text = received.toString('latin1');
  const head = 'Content-Length: ';
  if (!text.startsWith(head.slice(0, text.length))) return false;
  if (!/^\d{0,5}(\r|$)/.test(text.slice(head.length))) return false; // the first request is small
  const start = text.indexOf('\r\n\r\n') + 4;
  const end = start + Number.parseInt(text.slice(head.length), 10);
  if (start < 4 || received.length < end)
    return received.length < MOST_OPENING_BYTES ? 'more' : false;
  try {
    JSON.parse(received.subarray(start, end).toString());
    return true;
  } catch {
    return false;
  }
}

/** One debugger from its start to its stop: its port and its state. */
export class DebugSession {
  readonly link: DebugLink;
  /** Resolves when a client can attach, or it failed. */
  readonly settled: Promise<void>;
  /** Called with every change of the view. */
  onView: (view: DebuggingView) => void = () => undefined;
  readonly #patience: DebugPatience;
  readonly #launch: DebugLaunch;
  /** Accepts clients; for pydevd `#dialer` connects to the IDE instead. */
  #relay: DebugRelay | undefined;
  #dialer: IdeDialer | undefined;
  #view: DebuggingView;
  #settle: () => void = () => undefined;
  #hasBeenUp = false;
  #sessions = 0;

  private constructor({ provider, options = {} }: DebugRequest, limits: GuestLimits) {
    this.#patience = new DebugPatience(limits.debugHeldMs);
    this.settled = new Promise((resolve) => (this.#settle = resolve));
    this.#launch = { provider, options };
    this.#view = { state: 'starting', provider, language: debugProviders[provider].language };
    this.link = {
      launch: this.#launch,
      patience: this.#patience,
      waitsForClient: options['wait-for-client'] === 'true',
      onDebugger: (pid, port) => this.#isUp(pid, port),
      onRetired: (pid) => {
        if (this.#view.pid === pid) this.#relay?.keepWaiting();
      },
      onGone: (pid) => this.#isGone(pid),
      onFailure: (message) => this.#failed(message),
    };
  }

  /** Listens on the port, before any guest is started; rejects with `config_invalid` when it is taken. */
  static async open(request: DebugRequest, limits: GuestLimits): Promise<DebugSession> {
    const session = new DebugSession(request, limits);
    const { provider, port } = request;
    const onSessions = (count: number): void => session.#hasSessions(count);
    if (provider === 'pydevd') {
      if (port === 0) {
        throw new ServiceError('config_invalid', 'pydevd needs the port where the IDE listens.');
      }
      session.#dialer = await IdeDialer.listen({
        port,
        everyMs: limits.debugDialEveryMs,
        onSessions,
      });
      session.#launch.dialPort = session.#dialer.guestPort;
      session.#change({ port });
      return session;
    }
    // Clients that look for inspector targets request /json/list repeatedly.
    const isSession =
      provider === 'inspector'
        ? (first: Buffer) => /^upgrade: *websocket/im.test(first.toString('latin1'))
        : () => true;
    session.#relay = await DebugRelay.listen({
      port,
      isSession,
      onSessions,
      ...(provider === 'debugpy' && { isOpening: opensDebugAdapter }),
    });
    session.#change({ port: session.#relay.port });
    return session;
  }

  get view(): DebuggingView {
    return this.#view;
  }

  /** Settles without a result: an installation may take long. */
  abandon(): void {
    this.#settle();
  }

  /** Disconnects the client, which removes its breakpoints from the guest, and frees the port. */
  async close(): Promise<void> {
    await this.#relay?.close();
    await this.#dialer?.close();
    this.#patience.letGo();
    this.#settle();
  }

  #isUp(pid: number, port: number | undefined): void {
    this.#hasBeenUp = true;
    const { message: _, ...view } = this.#view;
    this.#view = view;
    // A guest that dials may be connected to the IDE before we read that its debugger is up.
    this.#change({ state: this.#sessions > 0 ? 'attached' : 'waiting', pid });
    this.#relay?.leadTo(port);
    this.#settle();
  }

  #isGone(pid: number): void {
    if (this.#view.pid !== pid) return;
    const { pid: _, ...view } = this.#view;
    this.#view = view;
    this.#patience.letGo();
    this.#relay?.leadTo(undefined);
    this.#change({ state: 'starting' });
  }

  #failed(message: string): void {
    // A guest that crashed and fails to start is retried repeatedly, as every guest is.
    this.#change({ state: this.#hasBeenUp ? 'starting' : 'failed', message });
    if (!this.#hasBeenUp) this.#settle();
  }

  #hasSessions(count: number): void {
    this.#sessions = count;
    if (count > 0) this.#patience.hold();
    else this.#patience.letGo();
    if (this.#view.pid === undefined) return;
    this.#change({ state: count > 0 ? 'attached' : 'waiting' });
  }

  #change(changes: Partial<DebuggingView>): void {
    this.#view = { ...this.#view, ...changes };
    this.onView(this.#view);
  }
}
