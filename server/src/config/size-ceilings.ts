import { ServiceError } from '../errors/service-error.ts';
import {
  automaticCheckpointBytes,
  ENGINE_PAYLOAD_BYTES,
  PAYLOAD_CEILING_BYTES,
  PLATFORM_CHECKPOINT_BYTES,
} from '../model/limits/limits.ts';
import type { SettingValues } from './settings/settings.ts';

/** The configured size ceilings. They are compared with the engine's own limits once it is reached. */
export interface SizeCeilings {
  /** Resolved, never 0. */
  maxCheckpointBytes: number;
  /** The default, which may be lowered to the engine's limit. */
  isAutomatic: boolean;
  canPayloadBudgetBytes?: number;
  warnings: string[];
}

/** Reads the size ceilings; `config_invalid` with one sentence when they are impossible. Spec: Limits. */
export function sizeCeilings(
  values: SettingValues,
  { isExternal }: { isExternal: boolean },
): SizeCeilings {
  const asked = values['engine.max_checkpoint_bytes'];
  const budget = values['engine.can_payload_budget_bytes'];
  const message = values['guest.checkpoint_max_size'];
  if (asked > PLATFORM_CHECKPOINT_BYTES) {
    throw refused(`engine.max_checkpoint_bytes is ${asked}; ${PLATFORM_CHECKPOINT_BYTES} is most.`);
  }
  if (asked > ENGINE_PAYLOAD_BYTES && !isExternal) {
    throw refused(
      `engine.max_checkpoint_bytes is ${asked}, but without external checkpoint storage the engine takes ${ENGINE_PAYLOAD_BYTES} at most.`,
    );
  }
  if (budget > PAYLOAD_CEILING_BYTES) {
    throw refused(
      `engine.can_payload_budget_bytes is ${budget}, but one payload of the engine takes ${PAYLOAD_CEILING_BYTES} at most.`,
    );
  }
  const maxCheckpointBytes = asked === 0 ? automaticCheckpointBytes(isExternal) : asked;
  const warnings: string[] = [];
  if (message < maxCheckpointBytes) {
    warnings.push(
      `guest.checkpoint_max_size (SERVICE_GUEST_CHECKPOINT_MAX_SIZE) is ${message}: larger checkpoints do not pass between guest and host, although engine.max_checkpoint_bytes allows ${maxCheckpointBytes}.`,
    );
  }
  return {
    maxCheckpointBytes,
    isAutomatic: asked === 0,
    ...(budget > 0 && { canPayloadBudgetBytes: budget }),
    warnings,
  };
}

function refused(sentence: string): ServiceError {
  return new ServiceError('config_invalid', sentence);
}
