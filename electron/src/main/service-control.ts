/*
 * Where a session starts. At the folder of the last one, unless the settings disable that or a folder is named on the
 * command line; without one, or when it no longer exists, at the page where one is opened. The page follows the service
 * (`app/service-move.ts`): a start of another folder is watched and ends at the threads, after a restart everything is
 * fetched again on the page that is open, and data of another folder or service is dropped.
 *
 * Steps. A start reports which part of it begins (`ServiceDeps.onStep`), so a failure names the step, with what to do.
 * With a sandbox there are the steps `sandbox` and `images` instead of `packages`, and `build` when missing images are
 * built (`service/prepare-agents.ts`), which `cancel-build` cancels. An engine that stays unavailable, or a worker that
 * ends (`onFailure`), shows as failed and offers a restart.
 *
 * Ends. Before a service is stopped or replaced, the page does what it has delayed, such as deletions that can be undone
 * (`page-settling.ts`). Quitting stops the service, with a time limit. After `kill -9` the service's process loses its channel and
 * ends, and its engine and guests lose their standard input. Tokens of remote services are in the system's safe
 * storage, or are not stored, and the window shows that.
 *
 * No other connections. The desktop connects only to the service; updates are checked, at a start and on request, where
 * a feed is set. Chromium downloads dictionaries of its spellchecker unless its languages are removed first: a test
 * with Chromium's own network log verifies that.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceView } from '../ipc/contract.ts';
import { startSteps } from '../ipc/service-view.ts';
import type { FromService, StartRequest } from '../service/messages.ts';
import type { ApiTarget } from './api-target.ts';
import { explainFailure } from './failure-help.ts';
import { DesktopFailure } from './desktop-failure.ts';
import type { LogBuffer } from './log-buffer.ts';
import type { RemoteService } from './remote-service.ts';
import type { ServiceHost, ServiceLink } from './service-host.ts';
import { createStartSteps, type StartSteps } from './start-steps.ts';

/** Runs in flight get this long at a stop; interrupted ones continue at the next start. */
const drainMs = 3_000;
/** Guests and engine take some seconds to end in order; beyond this they are killed. */
const stopLimitMs = 15_000;

export interface ServiceControlOptions {
  host: ServiceHost;
  logs: LogBuffer;
  /** Before the service is stopped or replaced: the page does what it has delayed, while requests still reach it. */
  settlePage: () => Promise<void>;
  /** What a start needs besides the folder and its token, with the current settings. */
  prepare: () => Omit<StartRequest, 'folder' | 'token' | 'isInstalling'>;
}

interface Running {
  link: ServiceLink;
  steps: StartSteps;
  /** Resolves when the start is done, or the process has ended. */
  settled: Promise<void>;
  settle: () => void;
}

/** The service behind the window: a local one that it starts and watches, or a remote one. */
export class ServiceControl {
  #view: ServiceView = { state: 'stopped', steps: [], warnings: [] };
  #target: ApiTarget = { unavailable: 'No folder is open.' };
  #running: Running | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  readonly #listeners = new Set<(view: ServiceView) => void>();
  readonly #options: ServiceControlOptions;

  constructor(options: ServiceControlOptions) {
    this.#options = options;
  }

  get view(): ServiceView {
    return this.#view;
  }

  /** Where the window's requests go now. */
  get target(): ApiTarget {
    return this.#target;
  }

  /** The process of the local service. */
  get link(): ServiceLink | undefined {
    return this.#running?.link;
  }

  onChange(listener: (view: ServiceView) => void): void {
    this.#listeners.add(listener);
  }

  /** Serves this folder instead of the current one; resolves when it is ready or has failed, with the reason in the view. */
  async start(folder: string, { isInstalling = false } = {}): Promise<ServiceView> {
    const running = await this.#inTurn(async () => {
      await this.#leave();
      return this.#launch(folder, isInstalling);
    });
    await running.settled;
    // A stop, or another start, may have come in between: this one ends with it.
    await this.#turn;
    return this.#view;
  }

  /** Stops the service; the folder stays in the view for a restart. */
  async stop(): Promise<ServiceView> {
    await this.#inTurn(async () => {
      await this.#leave();
      const { folder } = this.#view;
      this.#target = { unavailable: 'The service is stopped.' };
      const lastFolder = folder === undefined ? {} : { folder };
      this.#show({ state: 'stopped', ...lastFolder, steps: [], warnings: [] });
    });
    return this.#view;
  }

  /** Starts the last folder again. */
  async restart(): Promise<ServiceView> {
    return this.start(this.#openFolder());
  }

  /** Starts the last folder again, after installing its missing packages or building its missing images. */
  async install(): Promise<ServiceView> {
    return this.start(this.#openFolder(), { isInstalling: true });
  }

  /** Cancels a build of images; the start fails because they are missing, and can be retried. */
  cancelBuild(): ServiceView {
    this.#running?.link.post({ type: 'cancel-build' });
    return this.#view;
  }

  /** Uses a service that another user runs. */
  async connect(remote: RemoteService): Promise<ServiceView> {
    await this.#inTurn(async () => {
      await this.#leave();
      this.#target = { base: remote.url, headers: remote.headers };
      this.#show({ state: 'remote', url: remote.url, steps: [], warnings: remote.warnings });
    });
    return this.#view;
  }

  /** Adds a warning to the current view, which is dropped with it. */
  note(warning: string): void {
    this.#show({ ...this.#view, warnings: [...this.#view.warnings, warning] });
  }

  #openFolder(): string {
    const { folder } = this.#view;
    if (folder === undefined) throw new DesktopFailure('not_possible', 'No folder is open.');
    return folder;
  }

  #inTurn<T>(operation: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(operation);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  #launch(folder: string, isInstalling: boolean): Running {
    const prepared = this.#options.prepare();
    const kind =
      prepared.settings.sandbox === 'none' ? 'plain' : isInstalling ? 'building' : 'sandboxed';
    const steps = createStartSteps(startSteps[kind]);
    const link = this.#options.host();
    let settle = (): void => undefined;
    const settled = new Promise<void>((resolve) => (settle = resolve));
    const running: Running = { link, steps, settled, settle };
    this.#running = running;
    const token = randomBytes(32).toString('base64url');
    this.#target = { unavailable: 'The service is starting.' };
    this.#show({ state: 'starting', folder, steps: steps.list(), warnings: [] });
    link.onMessage((message) => {
      if (this.#running === running) this.#receive(message, running, token);
    });
    link.onOutput((message) => {
      // Node writes its warnings to the same stream as the last output of a crash.
      const level = /^\(node:\d+\)|^\(Use `/.test(message) ? 'warn' : 'error';
      const line = { ts: Date.now(), level, source: 'server', message, fields: {} } as const;
      this.#options.logs.add([line]);
    });
    void link.ended.then((code) => {
      settle();
      if (this.#running !== running || this.#view.state === 'stopping') return;
      this.#running = undefined;
      if (this.#view.state === 'failed') return;
      this.#fail(running, 'service_ended', `The service's process ended with code ${code}.`);
    });
    const request = { ...prepared, folder, token, isInstalling };
    link.post({ type: 'start', request });
    return running;
  }

  #receive(message: FromService, running: Running, token: string): void {
    const { steps } = running;
    const isStarting = this.#view.state === 'starting';
    if (message.type === 'lines') this.#options.logs.add(message.lines);
    if (this.#view.state === 'stopping') return;
    if (message.type === 'failed') this.#fail(running, message.code, message.message);
    if (message.type === 'warning') {
      this.#show({ ...this.#view, warnings: [...this.#view.warnings, message.message] });
    }
    if (message.type === 'missing-packages') {
      this.#show({ ...this.#view, missingPackages: [...message.packages] });
    }
    if (message.type === 'engine') this.#updateEngine(message.failing);
    if (!isStarting) return;
    if (message.type === 'step') steps.begin(message.name);
    if (message.type === 'progress') steps.report(message.message);
    if (message.type === 'step' || message.type === 'progress') {
      this.#show({ ...this.#view, steps: steps.list() });
    }
    if (message.type === 'ready') {
      steps.finish();
      const { url } = message;
      this.#target = { base: url, headers: { 'X-Service-Token': token } };
      const port = Number(new URL(url).port);
      this.#show({ ...this.#view, state: 'ready', url, port, steps: steps.list() });
      running.settle();
    }
  }

  /** The API keeps responding meanwhile: what needs no engine works, and the rest reports the problem. */
  #updateEngine(failing: string | undefined): void {
    const { failure, ...view } = this.#view;
    if (failing !== undefined && view.state === 'ready') {
      const explained = explainFailure({ code: 'engine_unavailable', message: failing });
      this.#show({ ...view, state: 'failed', failure: explained });
    } else if (failing === undefined && failure?.code === 'engine_unavailable') {
      this.#show({ ...view, state: 'ready' });
    }
  }

  #fail({ link, steps, settle }: Running, code: string, message: string): void {
    const step = this.#view.state === 'starting' ? steps.fail() : undefined;
    const failure = explainFailure({ code, message, ...(step === undefined ? {} : { step }) });
    this.#target = { unavailable: `The service has failed: ${message}` };
    this.#show({ ...this.#view, state: 'failed', steps: steps.list(), failure });
    settle();
    // Nothing in it is needed any more.
    link.post({ type: 'stop', drainMs: 0 });
  }

  /** Ends the current service, local or remote, once the page has sent it what it had delayed. */
  async #leave(): Promise<void> {
    if ('base' in this.#target) await this.#options.settlePage();
    await this.#halt();
  }

  async #halt(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    this.#target = { unavailable: 'The service is stopping.' };
    const { failure: _, ...view } = this.#view;
    this.#show({ ...view, state: 'stopping' });
    running.link.post({ type: 'stop', drainMs });
    const limit = new AbortController();
    await Promise.race([
      running.link.ended,
      pause(stopLimitMs, undefined, { signal: limit.signal }).catch(() => undefined),
    ]);
    limit.abort();
    running.link.kill();
    await running.link.ended;
    this.#running = undefined;
  }

  #show(view: ServiceView): void {
    this.#view = view;
    for (const listener of this.#listeners) listener(view);
  }
}
