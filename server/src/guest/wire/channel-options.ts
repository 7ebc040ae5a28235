import type { ChannelOptions } from '@grpc/grpc-js';

import { guestLimits } from '../limits.ts';

/** gRPC options of both directions, given the largest checkpoint that may pass. */
export function channelOptions(maxMessageBytes: number): ChannelOptions {
  const largest = maxMessageBytes + guestLimits.messageMarginBytes;
  return {
    'grpc.max_receive_message_length': largest,
    'grpc.max_send_message_length': largest,
    // An invocation must reach a guest once or not at all.
    'grpc.enable_retries': 0,
    'grpc.service_config_disable_resolution': 1,
    // Bookkeeping that nobody reads; it is a tenth of the cost of a small call.
    'grpc.enable_channelz': 0,
    'grpc.enable_http_proxy': 0,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.initial_reconnect_backoff_ms': 50,
    'grpc.max_reconnect_backoff_ms': 500,
  };
}
