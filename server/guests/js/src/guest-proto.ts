import { loadPackageDefinition, type ServiceClientConstructor } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

export interface GuestProto {
  Checkpoints: ServiceClientConstructor;
  Store: ServiceClientConstructor;
  Api: ServiceClientConstructor;
  Agents: ServiceClientConstructor;
}

/** The services of guest.proto, read at start: there is no generated code to keep in sync. */
export function loadGuestProto(protoPath: string): GuestProto {
  const definition = loadSync(protoPath, {
    keepCase: false,
    longs: Number,
    defaults: true,
    arrays: true,
    oneofs: true,
  });
  // The tree is only known at run time; the cast is what the file holds.
  const tree = loadPackageDefinition(definition) as unknown as {
    agentruntime: { guest: { v1: GuestProto } };
  };
  return tree.agentruntime.guest.v1;
}

/** Above the limit there is room for one more MiB, so that our own check names what is too large. */
export function messageLimits(maxMessageBytes: number): Record<string, number> {
  const bytes = maxMessageBytes + 1024 * 1024;
  return {
    'grpc.max_receive_message_length': bytes,
    'grpc.max_send_message_length': bytes,
  };
}

/** Options of our own clients, beyond the limits. */
export const clientOptions = { 'grpc.enable_retries': 0, 'grpc.enable_channelz': 0 };

/** A path is a unix socket, anything else (`127.0.0.1:…`, where there are none) an address. */
export function socketAddress(socket: string): string {
  return /[\\/]/.test(socket) ? `unix:${socket}` : socket;
}
