import type { ServiceConfig } from '../config/service-config.ts';
import { noTracing, type Tracing } from '../observability/tracing.ts';
import { tracedStore } from '../store/traced-store.ts';
import type { StoreSettings } from '../store/open-store.ts';
import type { StorePort } from '../store/port.ts';
import type { Logger } from '../observability/logger.ts';
import { version } from '../version.ts';

/** Loads databases and their query builder only when there is a store. */
export async function openStore(settings: StoreSettings, tracing: Tracing): Promise<StorePort> {
  const { createStore } = await import('../store/open-store.ts');
  return tracedStore(createStore(settings), tracing, settings.provider);
}

/** Loads the tracing library only when tracing is configured. */
export async function openTracing(
  { telemetry }: ServiceConfig,
  instanceId: string,
  logger: Logger,
): Promise<Tracing> {
  if (telemetry === undefined) return noTracing;
  const { openOtlpTracing } = await import('../observability/otlp-tracing.ts');
  return openOtlpTracing({ ...telemetry, version, instanceId, logger });
}
