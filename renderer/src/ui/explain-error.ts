import { ApiError, Refusal } from '../api/errors.ts';
import { decisionHref, denialFacts } from './denial.ts';

/** An error as the page explains it. */
export interface Explanation {
  readonly what: string;
  readonly why: string;
  readonly todo?: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly requestId?: string;
  readonly isDenied: boolean;
  /** The link to the explanation of the denial on the access page. */
  readonly accessHref?: string;
  /** Whether a retry may help. */
  readonly canRetry: boolean;
}

const advice: Readonly<Record<string, string>> = {
  unreachable: 'Check that the service runs; the doctor page has details.',
  thread_not_found: 'It may have been deleted, or its retention is over.',
  run_not_found: 'It may have been deleted with its thread, or belongs to another service.',
  checkpoint_not_found:
    'Checkpoints of older runs are dropped; engine.max_checkpoint_history sets how many are kept.',
  agent_not_found: 'The agents page lists what this service has.',
  agent_not_loaded: 'The agents page shows why it could not be loaded.',
  store_disabled: 'Start the service with SERVICE_STORE_PROVIDER=sqlite, for example.',
  thread_busy: 'Wait until the run has ended, or cancel it.',
  thread_stopped: 'Copy the thread: the copy starts with an empty history and runs again.',
  thread_exists: 'Choose another id.',
  run_active: 'Cancel the run first.',
  not_interrupted: 'It may have been answered in another window. The newest state is shown.',
  engine_unavailable: 'The service reconnects by itself; the doctor page has details.',
  store_unavailable: 'The service reconnects by itself; the doctor page has details.',
  storage_full: 'Free space on the disk of the service: it continues by itself.',
  state_too_large: 'Read a single checkpoint, or fewer keys.',
  internal: 'The log has the cause under the request id.',
  service_stopping: 'Wait until the service has started again.',
};

/** Explains what happened, why, and what to do about it. */
export function explainError(error: unknown, title?: string): Explanation {
  if (isCodeMissing(error)) {
    return {
      what: title ?? 'The page could not be opened',
      why: 'Its code comes from the service, which does not respond or was updated meanwhile.',
      todo: 'Try again once the service runs: the studio is then reloaded at this URL.',
      facts: [],
      isDenied: false,
      canRetry: true,
    };
  }
  if (!(error instanceof ApiError)) {
    const why = error instanceof Error ? error.message : String(error);
    const isExpected = error instanceof Refusal;
    const todo = 'Reload the page. If it happens again, it is a bug of the studio.';
    return {
      what: title ?? 'Something went wrong',
      why,
      ...(!isExpected && { todo }),
      facts: [],
      isDenied: false,
      canRetry: !isExpected,
    };
  }
  const { status, code, metadata, requestId } = error;
  const common = {
    facts: facts(error),
    isDenied: status === 401 || status === 403,
    canRetry: status === 0 || status >= 500 || status === 409 || status === 404,
    ...(requestId === undefined ? {} : { requestId }),
  };
  if (status === 401) {
    return {
      what: title ?? 'The service does not know who you are',
      why: error.message,
      todo: 'Choose a principal in the header, or connect with a valid token in the settings.',
      ...common,
    };
  }
  if (status === 403) {
    const operation = text(metadata['operation']);
    const resource = text(metadata['resource']);
    const accessHref = decisionHref(error);
    return {
      what: title ?? 'The policy does not allow this',
      why:
        operation === undefined
          ? error.message
          : `The policy denies ${operation}${resource === undefined ? '' : ` on ${resource}`}.`,
      todo: 'Choose another principal in the header, or allow the operation in the policy.',
      ...common,
      ...(accessHref !== undefined && { accessHref }),
    };
  }
  const todo = advice[code];
  return {
    what: title ?? sentences[code] ?? 'The service refused',
    why: error.message,
    ...common,
    ...(todo === undefined ? {} : { todo }),
  };
}

/** Messages of browsers when the code of a page could not be fetched. */
const missingCode =
  /dynamically imported module|Importing a module script failed|Unable to preload/i;

function isCodeMissing(error: unknown): boolean {
  return error instanceof Error && missingCode.test(error.message);
}

const sentences: Readonly<Record<string, string>> = {
  unreachable: 'The service cannot be reached',
  internal: 'The service failed',
};

function facts({ code, message, metadata, status }: ApiError): [string, string][] {
  const known = (name: string): [string, string][] => {
    const value = text(metadata[name]);
    return value === undefined ? [] : [[name, value]];
  };
  const issues = Array.isArray(metadata['issues']) ? metadata['issues'] : [];
  return [
    ['code', status === 0 ? code : `${code} (${status})`],
    ...known('operation'),
    ...known('resource'),
    ...denialFacts(metadata),
    ...issues
      .map(issue)
      // One issue alone is the message already.
      .filter(([path, words]) => !message.startsWith(`${path}: ${words}`) && words !== message)
      .slice(0, 8),
  ];
}

function issue(value: unknown): [string, string] {
  if (typeof value !== 'object' || value === null) return ['issue', String(value)];
  const path = 'path' in value ? text(value.path) : undefined;
  const message = 'message' in value ? text(value.message) : undefined;
  return [path === undefined || path === '' ? 'body' : path, message ?? ''];
}

function text(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(String).join('.');
  return undefined;
}
