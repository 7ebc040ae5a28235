import { ServiceError } from '../../../errors/service-error.ts';
import { reasonOf } from '../../reason-of.ts';

/** One sentence for a person, with what was behind it for the log. */
export function unavailable(sentence: string, cause?: unknown): ServiceError {
  return new ServiceError('guest_unavailable', sentence, { cause });
}

/** What went wrong when nothing could be asked of the daemon. */
export function unreachable(socketPath: string, error: unknown): ServiceError {
  const code = codeOf(error);
  if (code === 'EACCES' || code === 'EPERM') {
    const who = 'this user may not use its socket';
    return unavailable(
      `Docker is there, but ${who} ${socketPath}; add the user to the group of the socket (usermod -aG docker) and log in again.`,
      error,
    );
  }
  const isAbsent = code === 'ENOENT' || code === 'ECONNREFUSED';
  return unavailable(
    isAbsent
      ? `There is no Docker daemon at ${socketPath}; start it or install Docker.`
      : `The Docker daemon at ${socketPath} does not answer: ${reasonOf(error)}`,
    error,
  );
}

/** What the daemon refused, in one sentence without paths of this machine. */
export function refused(what: string, error: unknown): ServiceError {
  const reason = daemonReason(error);
  if (/no space left on device|disk quota exceeded/i.test(reason)) {
    return unavailable(`${what}: the disk of the Docker daemon is full (docker system df).`, error);
  }
  const program = /exec: "([^"]+)": (?:executable file not found|stat .*no such file)/.exec(reason);
  if (program) return unavailable(`${what}: its image has no ${program[1]} on its PATH.`, error);
  if (/bind source path does not exist/.test(reason)) {
    return unavailable(
      `${what}: the Docker daemon does not see the folders of this service; both have to have the same file system.`,
      error,
    );
  }
  if (/setting rlimit/.test(reason)) {
    return unavailable(
      `${what}: guest.open_files_limit is more than the Docker daemon may have itself.`,
      error,
    );
  }
  return unavailable(`${what}: ${reason}`, error);
}

/** What the daemon said, or why it said nothing. */
export function daemonReason(error: unknown): string {
  if (error instanceof Error && 'json' in error) {
    const { json } = error; // docker-modem's: the body of the answer
    if (typeof json === 'object' && json !== null && 'message' in json) return String(json.message);
  }
  // A pull is refused without a body that was read: the words come behind those of the client.
  return reasonOf(error).replace(/^\(HTTP code \d+\) [\w ]+ - /, '');
}

export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined;
  return Number(error.statusCode);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
