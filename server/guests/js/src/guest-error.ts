import type { ErrorMessage } from './wire.ts';

/** A failure of the guest itself or of the host, with a stable code. The agent's own errors are no GuestErrors. */
export class GuestError extends Error {
  override readonly name = 'GuestError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Characters. An error is shown to people, kept with its run and sent in one piece. */
const messageLimit = 16 * 1024;
const tracebackLimit = 64 * 1024;
/** Of an error that is kept beside a checkpoint. */
export const keptMessageLimit = 4 * 1024;

/** The text, or its beginning with a note of how long it was. */
export function cutText(text: string, limit = messageLimit): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit)}\n[cut here: ${text.length} characters in all]`;
}

/** The error of a call to the host, whose refusals carry their code in the message, as `code: sentence`. */
export function errorOfHost(operation: string, error: unknown): GuestError {
  const message = error instanceof Error ? error.message : String(error);
  // gRPC's own refusal of what is too large to travel.
  if (message.startsWith('8 RESOURCE_EXHAUSTED')) {
    return new GuestError('state_too_large', `${operation}: ${message}`);
  }
  const named = /(?:^|: )([a-z]+(?:_[a-z]+)+): (.*)$/s.exec(message);
  if (named?.[1] !== undefined) return new GuestError(named[1], named[2] ?? message);
  return new GuestError('engine_unavailable', `${operation}: ${message}`);
}

/** Describes a thrown value as the contract's Error: our own codes stay, everything else is the agent's. */
export function describeError(thrown: unknown, node = ''): ErrorMessage {
  if (thrown instanceof GuestError) {
    return { code: thrown.code, message: cutText(thrown.message), type: '', node, traceback: '' };
  }
  if (!(thrown instanceof Error)) {
    const message = cutText(typeof thrown === 'string' ? thrown : safeText(thrown));
    return { code: 'agent_error', message, type: typeof thrown, node, traceback: message };
  }
  return {
    code: 'agent_error',
    message: cutText(messageOf(thrown)),
    type: typeName(thrown),
    node,
    traceback: tracebackOf(thrown),
  };
}

function messageOf(error: Error): string {
  if (!(error instanceof AggregateError)) return error.message;
  const parts = error.errors.map((inner) =>
    inner instanceof Error ? inner.message : safeText(inner),
  );
  return [error.message, ...parts].join('\n');
}

/** A subclass that does not set `name` is still known by its class. */
function typeName(error: Error): string {
  if (error.name !== 'Error' && error.name !== '') return error.name;
  return error.constructor.name || 'Error';
}

/** The stack without the frames of this folder: they are not the agent's. */
function tracebackOf(error: Error): string {
  const lines = stackOf(error).split('\n');
  const own = lines.filter((line) => !line.includes(import.meta.dirname)).join('\n');
  const inner = error instanceof AggregateError ? error.errors : [error.cause];
  const causes = inner.filter((cause) => cause instanceof Error && cause !== error);
  const all = [own, ...causes.map((cause) => `Caused by: ${stackOf(cause)}`)].join('\n');
  return cutText(all, tracebackLimit);
}

/** The stack with a message that leaves room for the frames below it. */
function stackOf(error: Error): string {
  const stack = error.stack ?? `${typeName(error)}: ${error.message}`;
  return error.message === '' ? stack : stack.replace(error.message, () => cutText(error.message));
}

function safeText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}
