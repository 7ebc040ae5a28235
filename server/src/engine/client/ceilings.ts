import { ServiceError } from '../../errors/service-error.ts';
import {
  MAX_RUN_HISTORY,
  PAYLOAD_CEILING_BYTES,
  payloadCeiling,
} from '../../model/limits/limits.ts';
import type { ThreadSettings } from '../../model/thread/thread-record.ts';
import { callWithRetries } from './calls.ts';
import type { EngineConnection } from './connection.ts';
import { isGone, toServiceError } from './failures.ts';

/** The configured ceilings, before the engine's own are read. */
export interface CeilingOptions {
  maxCheckpointHistory: number;
  maxCheckpointBytes: number;
  /** The setting was not configured: it follows the engine. */
  isCheckpointCeilingAutomatic: boolean;
  canPayloadBudgetBytes?: number;
  isExternal: boolean;
}

/**
 * The settings that new threads are created with. Spec: Limits. The service validates at start that the largest
 * checkpoint is not larger than the engine's payload: `config_invalid` with one sentence otherwise.
 */
export async function settleSettings(
  connection: EngineConnection,
  options: CeilingOptions,
): Promise<ThreadSettings> {
  const reported = await reportedLimit(connection);
  return threadSettings(options, reported);
}

/** The settings for an engine that reports this payload limit; undefined: it reports none. */
export function threadSettings(options: CeilingOptions, reported?: number): ThreadSettings {
  const { maxCheckpointHistory, isExternal, canPayloadBudgetBytes } = options;
  const payloadBytes = payloadCeiling(reported);
  const isBounded = reported !== undefined && !isExternal;
  const maxCheckpointBytes =
    isBounded && options.isCheckpointCeilingAutomatic
      ? Math.min(options.maxCheckpointBytes, payloadBytes)
      : options.maxCheckpointBytes;
  if (isBounded && maxCheckpointBytes > reported) {
    throw refused('engine.max_checkpoint_bytes', maxCheckpointBytes, reported);
  }
  const settings: ThreadSettings = {
    maxCheckpointHistory,
    maxRunHistory: MAX_RUN_HISTORY,
    maxCheckpointBytes,
    ...(isExternal && { isExternal }),
    ...(payloadBytes < PAYLOAD_CEILING_BYTES && { payloadBytes }),
    ...(canPayloadBudgetBytes !== undefined && { canPayloadBudgetBytes }),
  };
  if (canPayloadBudgetBytes !== undefined && canPayloadBudgetBytes > payloadBytes) {
    throw refused('engine.can_payload_budget_bytes', canPayloadBudgetBytes, payloadBytes);
  }
  return settings;
}

/** The engine's own limit for one payload; undefined when it reports none. */
async function reportedLimit(connection: EngineConnection): Promise<number | undefined> {
  const { client, namespace } = connection;
  try {
    const { namespaceInfo } = await callWithRetries(() =>
      client.workflowService.describeNamespace({ namespace }),
    );
    const reported = Number(namespaceInfo?.limits?.blobSizeLimitError ?? 0);
    return reported > 0 ? reported : undefined;
  } catch (cause) {
    if (!isGone(cause)) throw toServiceError(cause, '');
    const message = `The engine has no namespace ${namespace} (engine.namespace).`;
    throw new ServiceError('config_invalid', message, { cause });
  }
}

function refused(setting: string, bytes: number, limit: number): ServiceError {
  return new ServiceError(
    'config_invalid',
    `${setting} is ${bytes}, but this engine takes payloads of ${limit} bytes at most.`,
  );
}
