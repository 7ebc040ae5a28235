import { status } from '@grpc/grpc-js';
import { ServiceError } from '../../errors/service-error.ts';
import { jsonText } from '../../model/json.ts';
import type { GuestLimits } from '../limits.ts';
import type { CalledModel, ModelCall } from '../port.ts';
import type { GuestProcess } from '../process/guest-process.ts';
import { errorText } from './agent-wire.ts';
import type { ErrorMessage } from './proto-messages.ts';

/** Calls a model on a guest. Rejects with a ServiceError. */
export async function callModelOn(
  guest: GuestProcess,
  call: ModelCall,
  signal: AbortSignal,
  limits: GuestLimits,
): Promise<CalledModel> {
  const request = {
    agent_id: call.agentId,
    name: call.name,
    model: call.model ?? '',
    recorded_params_json: call.recordedParams,
    messages_json: call.messages,
    params_json: call.params,
  };
  const response = await guest.agents
    .callModel(request, signal)
    .catch((error: unknown) => failedCall(error, signal, limits));
  if (response.error) throw refusal(response.error);
  const { output_json: output, usage_json: usage, latency_ms: latencyMs, model } = response;
  return {
    output: jsonText(output || 'null'),
    latencyMs: latencyMs ?? 0,
    ...(usage && { usage: jsonText(usage) }),
    ...(model && { model }),
  };
}

function failedCall(error: unknown, signal: AbortSignal, limits: GuestLimits): never {
  if (signal.aborted) {
    const message = 'The call of the model was cancelled.';
    throw new ServiceError('model_failed', message, { cause: signal.reason });
  }
  const { code, details } = error as { code?: status; details?: string }; // a gRPC error, both optional
  if (code === status.DEADLINE_EXCEEDED) {
    const message = `The model did not respond within ${limits.modelCallMs / 1000} s.`;
    throw new ServiceError('model_failed', message, { cause: error });
  }
  if (code === status.RESOURCE_EXHAUSTED) {
    const message = `The messages or the response are larger than SERVICE_GUEST_CHECKPOINT_MAX_SIZE: ${details ?? ''}`;
    throw new ServiceError('payload_too_large', message, { cause: error });
  }
  const message = `The guest did not call the model: ${details ?? 'its channel was lost'}`;
  throw new ServiceError('guest_unavailable', message, { cause: error });
}

/** What the model raised is not the service's failure. */
function refusal(error: ErrorMessage): ServiceError {
  const { code, message = '' } = error;
  for (const known of [
    'agent_not_found',
    'agent_not_loaded',
    'model_not_found',
    'invalid_request',
  ] as const) {
    if (code === known) return new ServiceError(known, message);
  }
  return new ServiceError('model_failed', `The model failed: ${errorText(error)}`);
}
