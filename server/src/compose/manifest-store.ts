import type { Manifest } from '../agents/manifest.ts';
import { principalOf } from '../auth/authenticator.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import type { ManifestStore, StoreTtlSettings } from '../model/store/store-settings.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Tracing } from '../observability/tracing.ts';
import type { PolicyPort } from '../policy/port.ts';
import type { StorePort } from '../store/port.ts';
import { type AgentStore, createAgentStore } from '../threads/agent-store.ts';
import { createStoreIndex, type EmbedderPort, type StoreIndex } from '../threads/store-index.ts';
import { StoreService } from '../threads/store-service.ts';
import {
  startStoreUpkeep,
  type StoreUpkeep,
  type StoreUpkeepParts,
} from '../threads/store-upkeep.ts';
import { openStore } from './open-on-demand.ts';

/** The store with the settings of the manifest. */
export interface ManifestStoreParts {
  /** Ports for requests; without `store` it is switched off. */
  readonly ports: {
    storeTtl: () => StoreTtlSettings;
    storeIndex: StoreIndex;
    store?: StorePort;
  };
  /** The store for agents; absent: it is switched off. */
  readonly agents?: AgentStore;
  /** Starts the background work, once guests are available. */
  begin(): void;
  /** Called when the manifest has changed. */
  renew(manifest: Manifest): void;
  close(): Promise<void>;
}

const SWITCHED_OFF =
  'store.index and store.ttl are not used, and agents find no store: it is switched off. Set SERVICE_STORE_PROVIDER to sqlite or postgresql.';

function isAskedFor({ index, ttl }: ManifestStore): boolean {
  return index !== undefined || ttl.defaultMinutes !== undefined;
}

/** Makes the store of the configuration, whose database is opened when first needed. */
export async function openManifestStore(
  config: Pick<ServiceConfig, 'store'>,
  manifest: Pick<Manifest, 'store'>,
  parts: {
    /** Decides about agents' calls. */
    policy: PolicyPort;
    embedder: EmbedderPort;
    tracing: Tracing;
    metrics: Metrics;
    logger: StoreUpkeepParts['logger'];
  },
): Promise<ManifestStoreParts> {
  const { policy, embedder, tracing, metrics, logger } = parts;
  let current = manifest.store;
  let upkeep: StoreUpkeep | undefined;
  const store = config.store && (await openStore(config.store, tracing));
  if (!store && isAskedFor(current)) logger.warn({ warning: SWITCHED_OFF }, 'manifest');
  const storeTtl = (): StoreTtlSettings => current.ttl;
  const storeIndex = createStoreIndex(() => current.index, embedder);
  const ports = { storeTtl, storeIndex, ...(store && { store }) };
  return {
    ports,
    ...(store && {
      agents: createAgentStore(new StoreService({ ...ports, policy }), principalOf),
    }),
    begin() {
      const expired = metrics.storeItemsExpired;
      if (!store) return;
      upkeep ??= startStoreUpkeep({ store, index: storeIndex, ttl: storeTtl, logger, expired });
    },
    renew(changed) {
      current = changed.store;
      upkeep?.renew();
    },
    async close() {
      await upkeep?.close();
      await store?.close();
    },
  };
}
