import { isRecord, parsedText } from './json-record.ts';

/** The body of every HTTP failure; `code` is stable, the sentence is for people. */
export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A request that failed: what the service answered, or `unreachable` when nothing answered. */
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

  /** What support and the service's log know the request by. */
  get requestId(): string | undefined {
    const id = this.metadata['request_id'];
    return typeof id === 'string' ? id : undefined;
  }
}

/** What the studio itself refuses, in a sentence that says all there is to say. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** Makes an ApiError of whatever a failed request left: our body, a proxy's page, or no answer at all. */
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
          ? 'The service does not answer.'
          : `Something other than the service answered, with status ${status}.`,
      metadata: {},
    },
    { cause },
  );
}

function unreachable(cause: unknown): ApiError {
  const body = { code: 'unreachable', message: 'The service does not answer.', metadata: {} };
  return new ApiError(0, body, { cause });
}
