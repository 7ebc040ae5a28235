import type { Socket } from 'node:net';
import { errorBody } from '../response/error-handler.ts';

interface Refusal {
  status: string;
  message: string;
}

/** By node's error code; any other code means that the bytes are not HTTP. */
const refusals: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    message: 'The request headers are too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    message: 'The request took too long to arrive.',
  },
};

/** Sends a readable error response for bytes that never became a request. */
export function respondToClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, message } = refusals[error.code ?? ''] ?? {
    status: '400 Bad Request',
    message: 'The request is not HTTP/1.1.',
  };
  const body = JSON.stringify(errorBody({ code: 'invalid_request', message }, 'none'));
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
