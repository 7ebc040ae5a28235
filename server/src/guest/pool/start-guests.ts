import { availableParallelism } from 'node:os';
import type { ManifestStore } from '../../model/store/store-settings.ts';
import type { GuestApiPort } from '../wire/api-port.ts';
import type { GuestAgent } from './guest-program.ts';
import { type GuestIsolation, GuestPool, type GuestPoolOptions } from './guest-pool.ts';
import { guestLimits, type GuestLimits } from '../limits.ts';
import type { DescribedAgent, Logger } from '../port.ts';
import { prepareGuest, type Sandboxed } from './sandboxed-guests.ts';
import { noSandbox } from '../sandbox/no-sandbox.ts';
import type { GuestStorePort } from '../wire/store-port.ts';
import type { GuestWeb } from './web-guest.ts';
import { type SourceWatch, watchSource } from './watch-source.ts';

/** The part of a manifest that the guest room uses. */
interface AgentManifest {
  readonly agents: readonly GuestAgent[];
  /** The folders with the agents' code; the agent folder alone by default. */
  readonly sourceFolders?: readonly string[];
  /** Python's import paths for the agents' modules; the agent folder alone by default. */
  readonly importPaths?: readonly string[];
  readonly pythonVersion?: string;
  readonly nodeVersion?: string;
  readonly store?: ManifestStore;
  /** The manifest's own; none by default. */
  readonly dependencies?: readonly string[];
}

export interface StartGuestsOptions<Manifest extends AgentManifest> {
  /** The agent folder, absolute. */
  sourceDir: string;
  manifest: Manifest;
  /** The value of `--interpreter`. */
  interpreter?: string;
  /**
   * The guests' complete environment (decisions: "guest environment": the user's, then the manifest's, then the env
   * files'). A function is called again after a reload.
   */
  environment: Record<string, string> | ((manifest: Manifest) => Record<string, string>);
  /** SERVICE_GUEST_CHECKPOINT_MAX_SIZE. */
  maxMessageBytes: number;
  /** SERVICE_GUEST_ALLOWED_TYPES. */
  allowedTypes?: readonly string[];
  /** SERVICE_GUEST_STUCK_AFTER; absent: as in `limits`. */
  stuckAfterMs?: number;
  logger: Logger;
  /** The store of agents; absent: agents have none. */
  store?: GuestStorePort;
  /** The API that agents' clients without a URL call; absent: they are refused. */
  api?: GuestApiPort;
  /** The folder of downloaded packages, shared by all services of the user. */
  cacheDir: string;
  /** Absent: guests are plain processes. */
  sandboxed?: Sandboxed;
  /** Which runs share guests; absent: all of a language. */
  isolation?: GuestIsolation;
  /** SERVICE_GUEST_THREAD_IDLE; absent: as in `limits`. */
  threadIdleMs?: number;
  /** Receives the progress of the slow steps of a first start, line by line. */
  onProgress?: (line: string) => void;
  /** Called with the descriptions that every new guest gives of its agents, and with why they have no guest. */
  onDescribed?: (agents: readonly DescribedAgent[]) => void;
  /** Absent: no guest serves `auth` or `http.app`. */
  web?: GuestWeb;
  /** Start fresh guests whenever the agent folder changes. */
  reload: boolean;
  /** Reads the current manifest at every reload; when it rejects, the old one stays in use. */
  readManifest?: () => Promise<Manifest>;
  /** Shared guests of each language. */
  size?: number;
  /** The guests start only when `start` is called. */
  isHeldBack?: boolean;
  limits?: GuestLimits;
}

/**
 * Starts the guests of an agent folder. Returns immediately: they start in the background, `settled` awaits that,
 * `health` reports it, and runs wait for it.
 */
export function startGuests<Manifest extends AgentManifest>(
  options: StartGuestsOptions<Manifest>,
): GuestPool {
  const { sourceDir, cacheDir, interpreter, logger, maxMessageBytes, onDescribed } = options;
  const onProgress = options.onProgress ?? ((line) => logger.info({ line }, 'guest setup'));
  const { stuckAfterMs, threadIdleMs, sandboxed } = options;
  const sandbox = sandboxed?.sandbox ?? noSandbox(options.limits);
  const limits = {
    ...(options.limits ?? guestLimits),
    ...(stuckAfterMs !== undefined && { stuckAfterMs }),
    ...(threadIdleMs !== undefined && { threadIdleMs }),
  };
  let manifest = options.manifest;
  const about = {
    sourceDir,
    cacheDir,
    onProgress,
    ...(options.allowedTypes && { allowedTypes: options.allowedTypes }),
    ...(interpreter && { interpreter }),
  };
  const pool = new ServicePool({
    agents: manifest.agents,
    prepare: (language, agents, signal, { debug, web } = {}) => {
      const environment =
        typeof options.environment === 'function'
          ? options.environment(manifest)
          : options.environment;
      const { index, ttl } = manifest.store ?? {};
      const store = {
        ...(index?.language === language && { embed: index.embed }),
        ...(ttl && { storeTtl: ttl }),
      };
      const importPaths = manifest.importPaths ?? [sourceDir];
      const { pythonVersion, nodeVersion } = manifest;
      const wanted = {
        ...about,
        environment,
        ...store,
        importPaths,
        ...(pythonVersion !== undefined && { pythonVersion }),
        ...(nodeVersion !== undefined && { nodeVersion }),
        ...(debug && { debug }),
        ...(web?.authPath !== undefined && { authPath: web.authPath }),
        ...(web?.appPath !== undefined && { appPath: web.appPath }),
      };
      const { dependencies = [] } = manifest;
      const sources = { sourceFolders: foldersOf(manifest, sourceDir), dependencies };
      const prepared = { ...wanted, ...sources };
      return prepareGuest(language, agents, prepared, { sandboxed, signal });
    },
    ...(options.web && { web: options.web }),
    size: options.size ?? defaultSize(),
    maxMessageBytes,
    logger,
    ...(options.store && { store: options.store }),
    ...(options.api && { api: options.api }),
    limits,
    ...(onDescribed && { onDescribed }),
    letGo: async () => {
      await sandbox.close();
      await sandboxed?.mcpTools?.remove();
    },
    confinement: { sandbox, ...(sandboxed?.egress && { egress: sandboxed.egress }) },
    ...(options.isolation && { isolation: options.isolation }),
  });
  void sandbox.removeAbandoned();
  if (options.isHeldBack !== true) pool.start();
  if (options.reload) {
    pool.watch(foldersOf(manifest, sourceDir), logger, async () => {
      manifest = (await options.readManifest?.()) ?? manifest;
      return { agents: manifest.agents, folders: foldersOf(manifest, sourceDir) };
    });
  }
  return pool;
}

function foldersOf({ sourceFolders }: AgentManifest, sourceDir: string): readonly string[] {
  return sourceFolders ?? [sourceDir];
}

/**
 * A Python guest uses one core for its runs' own steps, a JavaScript guest likewise. On a small machine engine and
 * service need the other cores, and every guest costs about 100 MB.
 */
function defaultSize(): number {
  return Math.max(1, Math.min(4, Math.floor(availableParallelism() / 4)));
}

class ServicePool extends GuestPool {
  readonly #letGo: () => Promise<void>;
  #watch: SourceWatch | undefined;

  /** @param options `letGo` is called when no guest is left. */
  constructor(options: GuestPoolOptions & { letGo: () => Promise<void> }) {
    super(options);
    this.#letGo = options.letGo;
  }

  watch(
    folders: readonly string[],
    logger: Logger,
    readAgain: () => Promise<{ agents: readonly GuestAgent[]; folders: readonly string[] }>,
  ): void {
    const reload = async (): Promise<void> => {
      try {
        const current = await readAgain();
        this.#watch?.follow(current.folders);
        this.reload(current.agents);
        logger.info({}, 'the agent folder has changed, new runs go to fresh guests');
      } catch (error) {
        logger.error({ err: error }, 'the manifest is wrong, the agents stay as they are');
      }
    };
    this.#watch = watchSource(folders, () => void reload(), logger);
  }

  override async close(): Promise<void> {
    this.#watch?.close();
    await super.close();
    await this.#letGo();
  }
}
