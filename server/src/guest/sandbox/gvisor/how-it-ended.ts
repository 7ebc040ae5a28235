import { constants } from 'node:os';

/** The exit code of `runsc` when it fails itself. */
const OWN_FAILURE = 128;

export interface RunscEnd {
  readonly code: number | null;
  readonly killedBy: NodeJS.Signals | null;
  /** The text of runsc's log, a sequence of JSON objects. */
  readonly log: string;
  /** Set when the kernel ended processes because memory ran out. */
  readonly outOfMemory?: string;
}

/** How a guest ended, as `exited with code 1`; `detail` is runsc's reason, only for the log: it has local paths. */
export function howItEnded(end: RunscEnd): { how: string; detail?: string } {
  const { code, killedBy, outOfMemory } = end;
  if (outOfMemory !== undefined) return { how: `ran out of memory (limit ${outOfMemory})` };
  if (killedBy !== null) return { how: `was killed by ${killedBy}` };
  const detail = code === OWN_FAILURE ? errorsIn(end.log) : undefined;
  if (detail !== undefined) return { how: ownFailure(detail), detail };
  const signal = signalOf((code ?? 0) - 128);
  return { how: signal ? `was killed by ${signal}` : `exited with code ${code ?? 0}` };
}

function ownFailure(errors: string): string {
  const program = /(?:failed to load |executable ")([^\s"]+)\b.*: no such file/.exec(errors)?.[1];
  if (program !== undefined) return `could not be started: the image has no ${program}`;
  if (/fork\/exec \/proc\/self\/exe: (operation not permitted|no space left)/.test(errors)) {
    return (
      'could not be started: this machine does not let this user make user namespaces ' +
      '(user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns)'
    );
  }
  return "could not be started: gVisor failed to set it up, see the service's log";
}

/** Its errors, the cause first; undefined when it has none. */
function errorsIn(log: string): string | undefined {
  const found = [...log.matchAll(/"msg":("(?:[^"\\]|\\.)*"),"level":"error"/g)];
  const messages = found.map(([, text = '""']) => String(JSON.parse(text)));
  return messages.length === 0 ? undefined : messages.join('; ');
}

function signalOf(number: number): string | undefined {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
}
