import { isServiceError } from '../../../errors/service-error.ts';

/** The codes of errors that the protocol has. */
type ErrorCode =
  | 'invalid_argument'
  | 'unknown_command'
  | 'no_such_run'
  | 'no_such_interrupt'
  | 'no_such_checkpoint'
  | 'permission_denied'
  | 'not_supported';

/** A command that cannot be carried out, in the protocol's words. */
export class CommandError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The error in the protocol's words; undefined where it has none. */
export function asCommandError(error: unknown): CommandError | undefined {
  if (error instanceof CommandError) return error;
  if (!isServiceError(error)) return undefined;
  const codes: Partial<Record<string, ErrorCode>> = {
    invalid_request: 'invalid_argument',
    agent_not_found: 'invalid_argument',
    not_interrupted: 'no_such_interrupt',
    checkpoint_not_found: 'no_such_checkpoint',
  };
  const code = codes[error.code];
  return code && new CommandError(code, error.message);
}
