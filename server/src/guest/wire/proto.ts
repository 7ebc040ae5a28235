import { fileURLToPath } from 'node:url';

import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

/** The contract between host and guests; guests that read it at run time are told this path. */
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

/** One method of a service, typed by who calls it: proto-loader does not know our message types. */
export function protoMethod<Request, Response>(
  service: ServiceDefinition,
  name: string,
): MethodDefinition<Request, Response> {
  const method = service[name];
  if (!method) throw new Error(`guest.proto has no method ${name}`);
  return method as MethodDefinition<Request, Response>; // see above
}
