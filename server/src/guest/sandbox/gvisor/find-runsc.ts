import { createReadStream } from 'node:fs';
import path from 'node:path';

import { findOnPath, isExecutable } from '../../process/executable.ts';
import { runCommand } from '../../process/run-command.ts';

/** How the user can install it. */
const GET_IT =
  'install a current one: CGO_ENABLED=0 go install gvisor.dev/gvisor/runsc@latest, or https://gvisor.dev/docs/user_guide/install';

/** The time limit of a program that only prints. */
const ANSWERS_WITHIN_MS = 10_000;

/** gVisor's program on this machine. */
export interface Runsc {
  readonly command: string;
  /** The version that it reports, `release-20260801.0`, or the date of its sources. */
  readonly version: string;
  /** Every gofer can have its own network namespace; otherwise a shared one stays mounted in the state folder. */
  readonly hasGoferNamespaces: boolean;
}

/** The program, or one sentence why it cannot be used. */
export type RunscFinding =
  { readonly runsc: Runsc } | { readonly problem: string; readonly version?: string };

/** Finds gVisor's `runsc`, on PATH unless named, and checks its features. For the start and for the doctor. */
export async function findRunsc(
  environment: Record<string, string>,
  named?: string,
): Promise<RunscFinding> {
  if (process.platform !== 'linux') return { problem: 'gVisor runs on Linux only.' };
  const command = await located(environment, named);
  if (command === undefined) {
    const missing = named === undefined ? 'runsc is not on PATH' : `There is no program ${named}`;
    return { problem: `${missing}; ${GET_IT}.` };
  }
  try {
    const options = { environment, workingDirectory: '/' };
    const signal = AbortSignal.timeout(ANSWERS_WITHIN_MS);
    const output = await runCommand(command, ['--version'], { ...options, signal });
    const version = await versionOf(command, output);
    if (version === undefined) return { problem: `${command} is not gVisor's runsc; ${GET_IT}.` };
    // Versions differ in whether they print to stdout or stderr.
    const lines: string[] = [];
    const onLine = (line: string): void => void lines.push(line);
    await runCommand(command, ['flags'], { ...options, signal, onLine });
    const flags = lines.join('\n');
    if (!isFit(flags)) {
      const problem = `${command} (${version}) is too old: it lacks the systrap platform or the sockets of the host; ${GET_IT}.`;
      return { problem, version };
    }
    const hasGoferNamespaces = flags.includes('-gofer-network-namespace');
    return { runsc: { command, version, hasGoferNamespaces } };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { problem: `${command} cannot be run (${reason}); ${GET_IT}.` };
  }
}

async function located(
  environment: Record<string, string>,
  named: string | undefined,
): Promise<string | undefined> {
  if (named === undefined || !named.includes(path.sep)) {
    return await findOnPath(named ?? 'runsc', environment);
  }
  const file = path.resolve(named);
  return (await isExecutable(file)) ? file : undefined;
}

/** Debian's version of 2022 has only ptrace, under which agents are several times slower. */
function isFit(flags: string): boolean {
  const valuesOf = (flag: string): string =>
    new RegExp(`^ +-${flag} \\w+\\n(.*)$`, 'm').exec(flags)?.[1] ?? '';
  return valuesOf('platform').includes('systrap') && /\ball\b/.test(valuesOf('host-uds'));
}

async function versionOf(command: string, output: string): Promise<string | undefined> {
  const version = /^runsc version (\S+)/.exec(output)?.[1];
  // Only gVisor's own build sets a version; a build by Go contains that of the module.
  return version === 'VERSION_MISSING' ? await dayOfModule(command) : version;
}

async function dayOfModule(command: string): Promise<string> {
  let before = '';
  for await (const chunk of createReadStream(command, { highWaterMark: 1 << 20 })) {
    const text = before + (chunk as Buffer).toString('latin1');
    const day = /\tgvisor\.dev\/gvisor\tv0\.0\.0-(\d{8})\d{6}-/.exec(text)?.[1];
    if (day !== undefined) return `sources of ${day.replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3')}`;
    before = text.slice(-100);
  }
  return 'unknown version';
}
