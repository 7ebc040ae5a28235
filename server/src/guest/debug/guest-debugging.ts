/*
 * Under a debugger (`guest/debug/guest-debugging.ts`, [docs/debugging.md](docs/debugging.md)) the lane of its language
 * has one guest, which starts debugpy, pydevd or Node's inspector before it imports an agent, on a port that it chooses
 * itself and reports by an event. The port that clients use belongs to the host (`guest/debug/debug-relay.ts`; for
 * pydevd `guest/debug/ide-dialer.ts` dials the IDE): so it is checked before anything starts, outlives every guest, and
 * "attached" means a connection on it, also while the guest is stopped at a breakpoint. `guest/pool/patience.ts` keeps
 * limits from expiring meanwhile. Debuggers do not stop the thread that watches the guest's standard input, so a
 * stopped guest ends with its host, and debugpy's adapter with the guest.
 */
import { reasonOf, ServiceError } from '../../errors/service-error.ts';
import { debugProviders, wrongDebugOption } from '../../model/debugging.ts';
import type { Debugging, DebuggingView, DebugLink, DebugRequest } from './debugging.ts';
import { DebugSession } from './debug-session.ts';
import type { GuestLanguage } from '../pool/guest-program.ts';
import type { GuestLimits } from '../limits.ts';
import type { Logger } from '../port.ts';

export interface GuestDebuggingOptions {
  /** The languages of the folder's agents. */
  languages: () => ReadonlySet<GuestLanguage>;
  /** Fresh guests of the language from now on: one under this debugger, or ordinary ones. */
  debug: (language: GuestLanguage, link: DebugLink | undefined) => void;
  limits: GuestLimits;
  logger: Logger;
  /** True when guests run in a sandbox, where no debugger reaches them. Absent: they are plain processes. */
  isSandboxed?: boolean;
}

const IN_A_SANDBOX =
  'Agents run in a sandbox, which no debugger reaches: run them as plain processes (sandbox none).';

/** The debugger of a pool of guests. */
export class GuestDebugging implements Debugging {
  readonly #options: GuestDebuggingOptions;
  readonly #listeners = new Set<(view: DebuggingView) => void>();
  #session: DebugSession | undefined;
  #view: DebuggingView = { state: 'off' };
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: GuestDebuggingOptions) {
    this.#options = options;
  }

  view(): DebuggingView {
    return this.#view;
  }

  onChange(listener: (view: DebuggingView) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Like start, but does not wait for the guest. Resolves with a note on the port; rejects with `config_invalid`. */
  begin(request: DebugRequest): Promise<string> {
    return this.#inTurn(async () => {
      await this.#end();
      const { provider, port = 0 } = (await this.#open(request)).view;
      return provider === 'pydevd'
        ? `pydevd dials the IDE on 127.0.0.1:${port}`
        : `${request.provider} listens on 127.0.0.1:${port}`;
    });
  }

  start(request: DebugRequest): Promise<DebuggingView> {
    this.#session?.abandon();
    return this.#inTurn(async () => {
      await this.#end();
      try {
        const session = await this.#open(request);
        await session.settled;
      } catch (error) {
        const { provider } = request;
        const { language } = debugProviders[provider];
        this.#publish({ state: 'failed', provider, language, message: reasonOf(error) });
      }
      return this.#view;
    });
  }

  stop(): Promise<DebuggingView> {
    this.#session?.abandon();
    return this.#inTurn(async () => {
      await this.#end();
      this.#publish({ state: 'off' });
      return this.#view;
    });
  }

  /** Frees the port; the pool closes the guests. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#session?.close();
    this.#session = undefined;
    this.#publish({ state: 'off' });
  }

  async #open(request: DebugRequest): Promise<DebugSession> {
    const { languages, debug, limits, logger, isSandboxed } = this.#options;
    const { provider, options = {} } = request;
    const { language } = debugProviders[provider];
    const wrong =
      (isSandboxed === true ? IN_A_SANDBOX : undefined) ??
      wrongDebugOption(provider, options) ??
      wrongLanguage(provider, languages());
    if (wrong !== undefined) throw new ServiceError('config_invalid', wrong);
    const session = await DebugSession.open(request, limits);
    if (this.#isClosed) {
      await session.close();
      throw new ServiceError('service_stopping', 'The service is stopping.');
    }
    this.#session = session;
    this.#publish(session.view);
    session.onView = (view) => {
      if (this.#session === session) this.#publish(view);
    };
    const { port } = session.view;
    logger.info({ provider, port }, 'debugging is on');
    debug(language, session.link);
    void session.settled.then(() => this.#giveUpIfFailed(session));
    return session;
  }

  /** If the debugger cannot be started, ordinary guests run again. */
  #giveUpIfFailed(session: DebugSession): void {
    if (this.#session !== session || session.view.state !== 'failed') return;
    const { provider, language, message } = session.view;
    this.#options.logger.error({ provider, message }, 'the debugger could not be started');
    this.#session = undefined;
    void session.close();
    if (language) this.#options.debug(language, undefined);
  }

  async #end(): Promise<void> {
    const session = this.#session;
    if (!session) return;
    this.#session = undefined;
    const { language } = session.view;
    if (language) this.#options.debug(language, undefined);
    await session.close();
    this.#options.logger.info({}, 'debugging is off');
  }

  #publish(view: DebuggingView): void {
    this.#view = view;
    for (const listener of this.#listeners) listener(view);
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(act);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

const names = { python: 'Python', javascript: 'JavaScript' } as const;

function wrongLanguage(
  provider: DebugRequest['provider'],
  languages: ReadonlySet<GuestLanguage>,
): string | undefined {
  const { language } = debugProviders[provider];
  if (languages.has(language)) return undefined;
  const [other] = languages;
  const hint =
    other === undefined
      ? ''
      : ` Its ${names[other]} agents are debugged with --debug-provider ${other === 'python' ? 'debugpy' : 'inspector'}.`;
  return `${provider} debugs ${names[language]} agents, and the folder has none.${hint}`;
}
