import { isRecord, parsedText } from './json-record.ts';

/** The body of every HTTP failure; `code` is stable, the message is for users. */
export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A request that failed: the service's error, or `unreachable` without a response. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly metadata: Readonly<Record<string, unknown>>;

  constructor(status: number, body: ErrorBody, options?: ErrorOptions) {
    super(body.message, options);
    this.status = status;
    this.code = body.code;
    this.metadata = body.metadata;
  }

  /** The request's id for support and in the service's log. */
  get requestId(): string | undefined {
    const id = this.metadata['request_id'];
    return typeof id === 'string' ? id : undefined;
  }
}

/** An error of the studio itself; its message is shown as it is. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** Makes an ApiError of a failed request: from our body, a proxy's page, or no response at all. */
export function toApiError(cause: unknown, response?: Response): ApiError {
  if (cause instanceof ApiError) return cause;
  const status = response?.status ?? 0;
  const body = parsedText(cause);
  if (isRecord(body) && typeof body['code'] === 'string' && typeof body['message'] === 'string') {
    const metadata = isRecord(body['metadata']) ? body['metadata'] : {};
    return new ApiError(status, { code: body['code'], message: body['message'], metadata });
  }
  if (response === undefined || status === 0) return unreachable(cause);
  return new ApiError(
    status,
    {
      code: status === 502 || status === 504 ? 'unreachable' : 'unexpected_answer',
      message:
        status === 502 || status === 504
          ? 'The service does not respond.'
          : `Something other than the service responded, with status ${status}.`,
      metadata: {},
    },
    { cause },
  );
}

function unreachable(cause: unknown): ApiError {
  const body = { code: 'unreachable', message: 'The service does not respond.', metadata: {} };
  return new ApiError(0, body, { cause });
}
