/** Parts of the service that are loaded only where they are used. */
import type { ServiceConfig } from '../config/service-config.ts';
import type { Logger } from '../observability/logger.ts';
import { noTracing, type Tracing } from '../observability/tracing.ts';
import type { StoreSettings } from '../store/open-store.ts';
import type { StorePort } from '../store/port.ts';
import { tracedStore } from '../store/traced-store.ts';
import { version } from '../version.ts';

/** Databases and their query builder are loaded only where there is a store. */
export async function openStore(settings: StoreSettings, tracing: Tracing): Promise<StorePort> {
  const { createStore } = await import('../store/open-store.ts');
  return tracedStore(createStore(settings), tracing, settings.provider);
}

/** What makes traces is loaded only where somebody takes them. */
export async function openTracing(
  { telemetry }: ServiceConfig,
  instanceId: string,
  logger: Logger,
): Promise<Tracing> {
  if (telemetry === undefined) return noTracing;
  const { openOtlpTracing } = await import('../observability/otlp-tracing.ts');
  return openOtlpTracing({ ...telemetry, version, instanceId, logger });
}
