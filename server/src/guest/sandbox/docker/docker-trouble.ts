import { withTimeLimit } from '../../../concurrency/concurrency.ts';
import { reasonOf, ServiceError } from '../../../errors/service-error.ts';

/** An error with one sentence for the user, and its cause for the log. */
export function unavailable(sentence: string, cause?: unknown): ServiceError {
  return new ServiceError('guest_unavailable', sentence, { cause });
}

/** The error when the daemon could not be reached. */
export function unreachable(socketPath: string, error: unknown): ServiceError {
  const code = codeOf(error);
  if (code === 'EACCES' || code === 'EPERM') {
    const who = 'this user may not use its socket';
    return unavailable(
      `Docker is installed, but ${who} ${socketPath}; add the user to the group of the socket (usermod -aG docker) and log in again.`,
      error,
    );
  }
  const isAbsent = code === 'ENOENT' || code === 'ECONNREFUSED';
  return unavailable(
    isAbsent
      ? `There is no Docker daemon at ${socketPath}; start it or install Docker.`
      : `The Docker daemon at ${socketPath} does not respond: ${reasonOf(error)}`,
    error,
  );
}

/**
 * A refusal of the daemon, in one sentence that clients may read: the daemon's own message names paths of this machine
 * and is only logged.
 */
export function refused(what: string, error: unknown): ServiceError {
  const reason = daemonReason(error);
  const known = isAway(error)
    ? 'the Docker daemon does not respond; start it again'
    : (missing(reason) ?? meaningOf(reason, refusals));
  return unavailable(`${what}: ${known ?? OWN_WORDS}.`, error);
}

/** The missing program or image; these names come from the request, so clients may see them. */
function missing(reason: string): string | undefined {
  const program = /exec: "([^"]+)": (?:executable file not found|stat .*no such file)/.exec(reason);
  if (program) return `its image has no ${program[1]} on its PATH`;
  const image = /No such image: (\S+)/i.exec(reason);
  return image ? `the Docker daemon has no image ${image[1]}; restart the service` : undefined;
}

/** Why an image cannot be pulled, likewise. */
export function notPulled(reference: string, error: unknown): ServiceError {
  const reason = daemonReason(error);
  if (isDiskFull.test(reason)) return refused(`The image ${reference} cannot be pulled`, error);
  return unavailable(
    `The image ${reference} is missing and cannot be pulled: ${whyNotPulled(error)}; make it with \`service image build\` or \`service image pack\`, pull it with \`docker pull\`, or name another one.`,
    error,
  );
}

/** The reason as a part of a sentence. */
export function whyNotPulled(error: unknown): string {
  if (isAway(error)) return 'the Docker daemon does not respond';
  return meaningOf(daemonReason(error), pullings) ?? OWN_WORDS;
}

const OWN_WORDS =
  "the Docker daemon refused it, and its own words are in the service's log (SERVICE_LOG_LEVEL=debug)";

const isDiskFull = /no space left on device|disk quota exceeded/i;

/** Patterns of the daemon's messages with explanations for the user. The first match applies. */
type Meanings = readonly (readonly [RegExp, string])[];

const refusals: Meanings = [
  [isDiskFull, 'the disk of the Docker daemon is full (docker system df)'],
  [
    /bind source path does not exist/,
    'the Docker daemon does not see the folders of this service; both have to have the same file system',
  ],
  [
    /error mounting|mount .*permission denied/,
    'the Docker daemon could not mount the folders of this service; it has to see them, and rules of this machine (SELinux, AppArmor) have to let it',
  ],
  [/setting rlimit/, 'guest.open_files_limit is more than the Docker daemon may have itself'],
  [
    /range of CPUs|memory limit|cgroup/i,
    'the Docker daemon cannot set the limits of guests (guest.cpu_limit, guest.memory_limit, guest.pids_limit)',
  ],
];

const pullings: Meanings = [
  [
    /unauthorized|authentication required|access (?:to the resource is )?denied|no basic auth/i,
    'there is no such image, or the registry wants other credentials (docker login)',
  ],
  [/no matching manifest/i, 'the registry has it for other platforms only'],
  [/not found|manifest unknown|does not exist/i, 'the registry has no such image'],
  [/toomanyrequests|rate limit/i, 'the registry takes no more requests for now'],
  [/x509|certificate/i, 'the certificate of the registry is not trusted (--registry-ca-file)'],
  [
    /HTTP response to HTTPS/i,
    'the registry speaks plain HTTP (--registry-insecure, or `insecure-registries` of the daemon)',
  ],
  [
    /no such host|connection refused|network is unreachable|no route|timeout|deadline|EOF|reset/i,
    'the registry cannot be reached',
  ],
];

function meaningOf(reason: string, meanings: Meanings): string | undefined {
  return meanings.find(([words]) => words.test(reason))?.[1];
}

/** The daemon was not reached, or the connection broke: the message then names its socket. */
function isAway(error: unknown): boolean {
  const isResponse = statusOf(error) !== undefined;
  return !isResponse && /^(ENOENT|ECONNREFUSED|ECONNRESET|EPIPE|EACCES)$/.test(codeOf(error));
}

/** The daemon's message, or the reason why there is none. */
function daemonReason(error: unknown): string {
  if (error instanceof Error && 'json' in error) {
    const { json } = error; // docker-modem's: the body of the response
    if (typeof json === 'object' && json !== null && 'message' in json) return String(json.message);
  }
  // For a refused pull the body is not parsed: the message follows the client's own prefix.
  return reasonOf(error).replace(/^\(HTTP code \d+\) [\w ]+ - /, '');
}

export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined;
  return Number(error.statusCode);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Resolves with the promise's result; rejects when it takes longer than `limitMs`. */
export async function inTime<T>(promise: Promise<T>, limitMs: number): Promise<T> {
  return await withTimeLimit(promise, limitMs, 'The response');
}

/** Waits until the promise settles, for at most `limitMs`. */
export async function within(promise: Promise<unknown>, limitMs: number): Promise<void> {
  await inTime(promise, limitMs).catch(() => undefined);
}
