import { isServiceError, reasonOf, ServiceError } from '../../errors/service-error.ts';
import { type AgentId, compositeRunId } from '../../model/ids.ts';
import type { GuestApiPort } from '../wire/api-port.ts';
import { callModelOn } from '../wire/call-model.ts';
import type { DebugLaunch, DebugLink } from '../debug/debugging.ts';
import { describeAll, describeOn } from '../wire/describe-agent.ts';
import { embeddingFailed, embedOn, type EmbedWish } from '../wire/embed.ts';
import { GuestDebugging } from '../debug/guest-debugging.ts';
import { GuestFigures } from './guest-figures.ts';
import { GuestLane, type GuestLaneOptions } from './guest-lane.ts';
import type { Confinement, GuestProcess } from '../process/guest-process.ts';
import type { GuestAgent, GuestLanguage, GuestProgram } from './guest-program.ts';
import type { AttributedLine } from './guest-runs.ts';
import { invokeOn } from '../wire/invoke.ts';
import { guestLimits, type GuestLimits } from '../limits.ts';
import type {
  CalledModel,
  DescribedAgent,
  DescribeOptions,
  GuestPort,
  Invocation,
  InvocationEnd,
  Logger,
  ModelCall,
  ReadStates,
  StateRead,
  StateUpdate,
  UpdatedState,
} from '../port.ts';
import { OutputLog } from '../process/output-log.ts';
import { RunSandboxes } from './run-sandboxes.ts';
import type { GuestStorePort } from '../wire/store-port.ts';
import { readStatesOn } from '../wire/read-states.ts';
import { GuestResponseTimeout, updateStateOn } from '../wire/update-state.ts';
import type { WarmGuest } from './warm-guest.ts';
import { type GuestWeb, WebGuest } from './web-guest.ts';

export interface GuestPoolOptions {
  agents: readonly GuestAgent[];
  /** Prepares the program of the guests of one language, with these agents. */
  prepare: (
    language: GuestLanguage,
    agents: readonly GuestAgent[],
    signal: AbortSignal,
    also?: { debug?: DebugLaunch; web?: GuestWeb },
  ) => Promise<GuestProgram>;
  /** The manifest's `auth` and `http.app`, which run in a separate guest. Absent: neither. */
  web?: GuestWeb;
  /** Shared guests of each language. */
  size: number;
  maxMessageBytes: number;
  logger: Logger;
  /** Absent: agents have no store. */
  store?: GuestStorePort;
  /** The API that agents' clients without a URL call; absent: they are refused. */
  api?: GuestApiPort;
  /** Called with the descriptions that every new guest gives of its agents, and with why they have no guest. */
  onDescribed?: (agents: readonly DescribedAgent[]) => void;
  limits?: GuestLimits;
  /** The sandbox of guests and their network access; absent: plain processes. */
  confinement?: Confinement;
  isolation?: GuestIsolation;
}

/** Which runs share a guest: `shared`, the default, all of a language; `thread`, those of a thread; `run`, none. */
export type GuestIsolation = 'shared' | 'thread' | 'run';

/** How often a guest is asked, after a cancelled run ended, whether the run's code still executes. */
const LOOKS_FOR_LEFT_BEHIND = 3;

/** Assigns every run a guest: a warm one that it shares, or its own. */
export class GuestPool implements GuestPort {
  readonly #options: GuestPoolOptions;
  readonly #limits: GuestLimits;
  readonly #lanes = new Map<GuestLanguage, GuestLane>();
  /** The stdout and stderr of runs' agents, while kept. */
  readonly output: OutputLog;
  /** The sandboxes of runs, while kept. */
  readonly runSandboxes: RunSandboxes;
  readonly debugging: GuestDebugging;
  /** How many guests were killed because they gave no sign of life, for metrics. */
  readonly stuck = new Map<GuestLanguage, number>();
  /** For metrics. */
  readonly figures = new GuestFigures(this.#lanes, this.stuck);
  /** Serves the manifest's `auth` and `http.app`, if it has any. */
  readonly web: WebGuest | undefined;
  #agents: readonly GuestAgent[];
  #closing: Promise<void> | undefined;
  #isStarted = false;

  constructor(options: GuestPoolOptions) {
    this.#options = options;
    this.#limits = options.limits ?? guestLimits;
    this.output = new OutputLog(this.#limits);
    this.runSandboxes = new RunSandboxes(this.#limits);
    this.#agents = options.agents;
    const { web } = options;
    if (web) {
      this.web = new WebGuest({
        ...this.#laneOptions(web.language),
        web,
        prepare: (signal) => options.prepare(web.language, [], signal, { web }),
      });
    }
    this.debugging = new GuestDebugging({
      languages: () => new Set(this.#agents.map(({ language }) => language)),
      debug: (language, link) => this.#debug(language, link),
      limits: this.#limits,
      logger: options.logger,
      isSandboxed: (options.confinement?.sandbox?.kind ?? 'none') !== 'none',
    });
  }

  /** Starts the warm guests in the background; `health` reports when they are ready. */
  start(): void {
    if (!this.#isStarted) this.web?.start();
    this.#isStarted = true;
    for (const { language } of this.#agents) {
      if (!this.#lanes.has(language)) this.#open(language);
    }
  }

  #open(language: GuestLanguage, link?: DebugLink): void {
    const onUnavailable = (message: string): void => {
      const error = { code: 'guest_unavailable', message };
      const agents = this.#agentsOf(language).map(({ agentId }) => ({ agentId, error }));
      this.#options.onDescribed?.(agents);
    };
    const lane = new GuestLane({ ...this.#laneOptions(language), onUnavailable });
    this.#lanes.set(language, lane);
    if (link) lane.debug(link);
    lane.start();
  }

  #debug(language: GuestLanguage, link: DebugLink | undefined): void {
    const lane = this.#lanes.get(language);
    if (lane) lane.debug(link);
    else if (link) this.#open(language, link);
  }

  async invoke(invocation: Invocation, signal: AbortSignal): Promise<InvocationEnd> {
    let lane: GuestLane;
    try {
      lane = this.#laneOf(invocation.agentId);
    } catch (error) {
      return { kind: 'error', error: { code: 'agent_not_found', message: reasonOf(error) } };
    }
    let guest: WarmGuest;
    try {
      guest = await this.#acquire(lane, invocation, signal);
    } catch (error) {
      return signal.aborted ? { kind: 'cancelled' } : { kind: 'infra', message: reasonOf(error) };
    }
    const { threadId, runUuid, attempt } = invocation;
    const runId = compositeRunId(threadId, runUuid);
    this.output.begin(runId, attempt);
    const leave = this.runSandboxes.begin(runId, guest.process, guest.isShared);
    try {
      const about = { limits: this.#limits, logger: this.#options.logger };
      const { end, isStuck } = await invokeOn(guest.process, invocation, signal, about);
      if (isStuck) {
        guest.retire();
        void this.#closeIfFrozen(guest.process);
      } else if (signal.aborted) this.#recycleIfLeftBehind(guest);
      return end;
    } catch (error) {
      this.#options.logger.error(
        { err: error, run_id: invocation.runUuid },
        'an invocation failed',
      );
      return { kind: 'infra', message: 'The invocation failed.' };
    } finally {
      leave();
      guest.release();
    }
  }

  updateState(update: StateUpdate, signal: AbortSignal): Promise<UpdatedState> {
    return this.#onGuest(update, signal, (guest) =>
      updateStateOn(guest, update, signal, this.#limits),
    );
  }

  readStates(read: StateRead, signal: AbortSignal): Promise<ReadStates> {
    return this.#onGuest(read, signal, (guest) => readStatesOn(guest, read, signal, this.#limits));
  }

  callModel(call: ModelCall, signal: AbortSignal): Promise<CalledModel> {
    return this.#onGuest(call, signal, (guest) => callModelOn(guest, call, signal, this.#limits));
  }

  /** One vector for each text, by the manifest's `store.index`. Rejects with `embedding_failed`. */
  async embed(
    language: GuestLanguage,
    wish: EmbedWish,
    signal: AbortSignal,
  ): Promise<Float32Array[]> {
    const lane = this.#lanes.get(language);
    if (!lane) throw embeddingFailed(`store.index.embed needs ${language}, and no agent has it.`);
    // This limits the wait for a guest; the call has the same limit again, and a guest that exceeds it is retired.
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(this.#limits.embedMs)]);
    try {
      const call = (guest: GuestProcess): Promise<Float32Array[]> =>
        embedOn(guest, wish, signal, this.#limits);
      return await this.#call(await lane.acquire(inTime), call);
    } catch (error) {
      if (isServiceError(error) && error.code === 'embedding_failed') throw error;
      throw embeddingFailed(reasonOf(error), error);
    }
  }

  /** One call beside runs; a guest that does not respond to it is retired. */
  async #onGuest<T>(
    { agentId, threadId }: StateRead | StateUpdate | ModelCall,
    signal: AbortSignal,
    call: (guest: GuestProcess) => Promise<T>,
  ): Promise<T> {
    const guest = await this.#laneOf(agentId).acquireToRead(threadId, signal);
    return await this.#call(guest, call);
  }

  async #call<T>(guest: WarmGuest, call: (guest: GuestProcess) => Promise<T>): Promise<T> {
    try {
      return await call(guest.process);
    } catch (error) {
      if (error instanceof GuestResponseTimeout) {
        guest.retire();
        void this.#closeIfFrozen(guest.process);
      }
      throw error;
    } finally {
      guest.release();
    }
  }

  /** Chooses by `isolation`; attempts after a crash get a guest without other runs. */
  #acquire(
    lane: GuestLane,
    { threadId, isIsolated }: Invocation,
    signal: AbortSignal,
  ): Promise<WarmGuest> {
    const { isolation } = this.#options;
    if (isolation === 'thread') return lane.acquireForThread(threadId, signal);
    return isIsolated || isolation === 'run' ? lane.acquireForRun(signal) : lane.acquire(signal);
  }

  async describe(signal: AbortSignal): Promise<DescribedAgent[]> {
    const described = await Promise.all(
      [...this.#lanes].map(([language, lane]) =>
        describeAll(lane, this.#agentsOf(language), signal),
      ),
    );
    const found = new Map(described.flat().map((agent) => [agent.agentId, agent]));
    return this.#agents.map(({ agentId }) => found.get(agentId) ?? { agentId });
  }

  async describeAgent(
    agentId: AgentId,
    wanted: DescribeOptions,
    signal: AbortSignal,
  ): Promise<DescribedAgent> {
    const guest = await this.#laneOf(agentId).acquire(signal);
    try {
      const found = await describeOn(guest.process, agentId, wanted, signal);
      if (found) return found;
    } catch (error) {
      const message = 'The guest did not describe the agent.';
      throw new ServiceError('guest_unavailable', message, { cause: error });
    } finally {
      guest.release();
    }
    throw new ServiceError('agent_not_found', `The guest has no agent named ${agentId}.`);
  }

  health(): { ok: boolean; reason?: string } {
    const lanes = [...this.#lanes.values(), ...(this.web ? [this.web] : [])];
    const troubles = lanes.flatMap((lane) => lane.trouble ?? []);
    return troubles.length === 0 ? { ok: true } : { ok: false, reason: troubles.join(' ') };
  }

  /** Resolves when every language has a warm guest, or a first start of one has failed. */
  async settled(signal: AbortSignal): Promise<void> {
    const settle = async (lane: GuestLane): Promise<void> => {
      try {
        (await lane.acquire(signal)).release();
      } catch {
        // `health` has the reason.
      }
    };
    await Promise.all([...this.#lanes.values()].map(settle));
  }

  /** New runs go to fresh guests from now on, with the given agents when the manifest has changed. */
  reload(agents: readonly GuestAgent[] = this.#agents): void {
    this.#agents = agents;
    this.web?.reload();
    for (const lane of this.#lanes.values()) lane.reload();
    this.start();
  }

  pids(): number[] {
    return [...this.#lanes.values(), ...(this.web ? [this.web] : [])].flatMap((lane) =>
      lane.pids(),
    );
  }

  close(): Promise<void> {
    this.output.close();
    this.runSandboxes.close();
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.debugging.close();
    await Promise.all([
      this.web?.close(),
      ...[...this.#lanes.values()].map((lane) => lane.close()),
    ]);
  }

  /**
   * A guest may end a cancelled run although its code still executes: a Python thread cannot be stopped. Decisions:
   * "cancel that does not stop": after the grace period such a guest is recycled.
   */
  #recycleIfLeftBehind(guest: WarmGuest): void {
    const look = async (looksLeft: number): Promise<void> => {
      if (guest.process.hasExited) return;
      const known = guest.active;
      const { active_runs: found = 0 } = await guest.process.agents.health(
        AbortSignal.timeout(this.#limits.controlCallMs),
      );
      if (found > known) guest.retire();
      // A run that has not reached the guest yet hides one that was left behind.
      else if (looksLeft > 1) lookLater(looksLeft - 1);
    };
    // A failed call is ignored: a guest that does not respond is detected elsewhere.
    const lookLater = (looksLeft: number): void => {
      const begin = (): void => void look(looksLeft).catch(() => undefined);
      setTimeout(begin, this.#limits.cancelGraceMs).unref();
    };
    lookLater(LOOKS_FOR_LEFT_BEHIND);
  }

  /** A guest whose event loop is blocked cannot end its other runs either: it is closed, and they restart. */
  async #closeIfFrozen(guest: GuestProcess): Promise<void> {
    const { controlCallMs, debugFrozenMs } = this.#limits;
    const limitMs = guest.isDebugged ? debugFrozenMs : controlCallMs;
    try {
      await guest.agents.health(AbortSignal.timeout(limitMs));
    } catch {
      if (guest.hasExited) return;
      this.#options.logger.warn({ pid: guest.pid }, 'a guest responds no more');
      await guest.close();
    }
  }

  #laneOf(id: AgentId): GuestLane {
    const agent = this.#agents.find(({ agentId }) => agentId === id);
    const lane = agent && this.#lanes.get(agent.language);
    if (!lane) throw new ServiceError('agent_not_found', `There is no agent named ${id}.`);
    return lane;
  }

  #laneOptions(language: GuestLanguage): GuestLaneOptions {
    const { size, maxMessageBytes, logger, prepare, store, api, confinement } = this.#options;
    const limits = this.#limits;
    const onOutput = (line: AttributedLine): void => this.output.append(line);
    const onDropped = this.figures.dropped(language);
    return {
      language,
      size,
      limits,
      prepare: (signal, debug) =>
        prepare(language, this.#agentsOf(language), signal, { ...(debug && { debug }) }),
      process: {
        ...{ maxMessageBytes, logger, onOutput, onDropped, limits },
        ...(store && { store }),
        ...(api && { api }),
        ...confinement,
      },
      greet: (guest) => this.#greet(guest),
      onStuck: () => this.stuck.set(language, (this.stuck.get(language) ?? 0) + 1),
    };
  }

  async #greet(guest: GuestProcess): Promise<void> {
    const { onDescribed, logger } = this.#options;
    if (!onDescribed) return;
    try {
      onDescribed(await guest.agents.describe(new AbortController().signal));
    } catch (error) {
      logger.warn({ err: error, pid: guest.pid }, 'a guest did not describe its agents');
    }
  }

  #agentsOf(language: GuestLanguage): GuestAgent[] {
    return this.#agents.filter((agent) => agent.language === language);
  }
}
