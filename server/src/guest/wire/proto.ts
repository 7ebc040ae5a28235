import { fileURLToPath } from 'node:url';
import type { ChannelOptions, MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { guestLimits } from '../limits.ts';

/** The contract between host and guests; guests that read it at run time receive this path. */
export const guestProtoPath = fileURLToPath(
  new URL('../../../proto/guest/v1/guest.proto', import.meta.url),
);

const definitions = loadSync(guestProtoPath, { keepCase: true, longs: Number, arrays: true });

/** One service of guest.proto, by its short name. */
export function protoService(name: 'Agents' | 'Api' | 'Checkpoints' | 'Store'): ServiceDefinition {
  const service = definitions[`agentruntime.guest.v1.${name}`];
  if (!service || 'format' in service) throw new Error(`guest.proto has no service ${name}`);
  return service;
}

/** One method of a service; the caller names its types, since proto-loader does not know our message types. */
export function protoMethod<Request, Response>(
  service: ServiceDefinition,
  name: string,
): MethodDefinition<Request, Response> {
  const method = service[name];
  if (!method) throw new Error(`guest.proto has no method ${name}`);
  return method as MethodDefinition<Request, Response>; // see above
}

/** gRPC options of both directions, given the largest checkpoint that may pass. */
export function channelOptions(maxMessageBytes: number): ChannelOptions {
  const largest = maxMessageBytes + guestLimits.messageMarginBytes;
  return {
    'grpc.max_receive_message_length': largest,
    'grpc.max_send_message_length': largest,
    // An invocation must reach a guest once or not at all.
    'grpc.enable_retries': 0,
    'grpc.service_config_disable_resolution': 1,
    // Statistics that no code reads; they are a tenth of the cost of a small call.
    'grpc.enable_channelz': 0,
    'grpc.enable_http_proxy': 0,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.initial_reconnect_backoff_ms': 50,
    'grpc.max_reconnect_backoff_ms': 500,
  };
}
