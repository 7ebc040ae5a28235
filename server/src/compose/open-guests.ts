/** Composition of the guests: their sandbox and environment, and the consumers of their agents. */
import { type AgentRegistry, learnFrom } from '../agents/agent-registry.ts';
import type { Manifest } from '../agents/manifest.ts';
import { requireSameAuth } from '../agents/used-auth.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import type { GuestApiPort } from '../guest/wire/api-port.ts';
import type { EgressMetrics } from '../guest/egress/egress-proxy.ts';
import type { GuestPool } from '../guest/pool/guest-pool.ts';
import { startGuests } from '../guest/pool/start-guests.ts';
import type { GuestStorePort } from '../guest/wire/store-port.ts';
import type { GuestWeb } from '../guest/pool/web-guest.ts';
import type { Logger } from '../observability/logger.ts';
import { manifestOf } from './image-agents.ts';
import { openSandbox } from './open-sandbox.ts';

export interface GuestDeps {
  manifest: Manifest;
  agents: AgentRegistry;
  instanceId: string;
  logger: Logger;
  metrics: EgressMetrics;
  onProgress(step: string): void;
  signal?: AbortSignal;
  store: GuestStorePort | undefined;
  web: GuestWeb | undefined;
  api: GuestApiPort;
  /** Called when an agent could not be loaded, with each new reason. */
  onNotLoaded(): void;
  /** Receives the manifest after a reload. */
  onManifest(current: Manifest): void;
}

/** Guests that start when `start` is called. Rejects with `config_invalid` when their sandbox is unavailable. */
export async function openGuests(config: ServiceConfig, deps: GuestDeps): Promise<GuestPool> {
  const { manifest, agents, logger, onProgress, store, web, api } = deps;
  const { userEnvironment, environment, checkpointMaxSize, ...settings } = config.guest;
  const languages = new Set(manifest.agents.map(({ language }) => language));
  const { sourceFolders } = manifest;
  const sandboxed = await openSandbox(config, { ...deps, sourceFolders, languages });
  return startGuests({
    ...settings,
    sourceDir: config.sourceDir,
    manifest,
    // Decisions: "guest environment".
    environment: (current) => ({
      ...(sandboxed ? {} : userEnvironment),
      ...current.environment,
      ...environment,
    }),
    ...(sandboxed && { sandboxed }),
    maxMessageBytes: checkpointMaxSize,
    logger,
    cacheDir: config.cacheDir,
    onProgress,
    isHeldBack: true, // until the debugger has its port
    onDescribed(described) {
      if (learnFrom(described, { agents, logger })) deps.onNotLoaded();
    },
    async readManifest() {
      const current = await manifestOf(config);
      if (config.api.auth?.kind !== 'oidc') requireSameAuth(current, manifest);
      deps.onManifest(current);
      return current;
    },
    ...(store && { store }),
    ...(web && { web }),
    api,
  });
}
