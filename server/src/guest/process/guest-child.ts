import { setTimeout as delay } from 'node:timers/promises';

import { readOutput, type GuestLine } from './guest-output.ts';
import { DroppedOutputLog } from './dropped-output-log.ts';
import type { GuestProgram } from '../pool/guest-program.ts';
import type { Logger } from '../port.ts';
import { OutputAllowance, type DroppedOutput } from './output-allowance.ts';
import type { SandboxedProcess } from '../sandbox/port.ts';

/** How long to wait for the remaining output of a process after its exit. */
const LAST_WORDS_MS = 200;

/** Passes on the output of the process, until `isRead`; `isReady` resolves when the process reports ready. */
export function watchOutput(
  child: Pick<SandboxedProcess, 'pid' | 'stdin' | 'stdout' | 'stderr'>,
  program: Pick<GuestProgram, 'language'>,
  options: {
    logger: Logger;
    onOutput: (line: GuestLine) => void;
    /** Its debugger is ready, at this port if it listens at one. */
    onDebugger: (port?: number) => void;
    /** It responded to a request for a sign of life. */
    onAlive: () => void;
    /** It wrote more than is kept. */
    onDropped?: (dropped: DroppedOutput) => void;
  },
  tail: string[],
): { isReady: Promise<void>; isRead: Promise<void> } {
  let resolve = (): void => undefined;
  const isReady = new Promise<void>((done) => (resolve = done)); // runs synchronously: `resolve` is set now
  const readers = {
    onEvent: (name: string, port?: number) => {
      if (name === 'ready') resolve();
      if (name === 'debugger') options.onDebugger(port);
      if (name === 'alive') options.onAlive();
    },
    onLine: (line: GuestLine) => {
      if (line.stream === 'stderr' && line.runUuid === undefined) keepTail(tail, line.text);
      const { language } = program;
      const fields = { language, guest_pid: child.pid, stream: line.stream, text: line.text };
      const about = line.runUuid === undefined ? {} : { run_id: line.runUuid };
      options.logger.info({ ...about, ...fields }, 'agent output');
      options.onOutput(line);
    },
  };
  const about = { language: program.language, guest_pid: child.pid };
  const log = new DroppedOutputLog(options.logger, about);
  const allowance = new OutputAllowance((some) => {
    log.note(some);
    options.onDropped?.(some);
  });
  const isRead = Promise.all([
    readOutput(child.stdout, 'stdout', readers, allowance),
    readOutput(child.stderr, 'stderr', readers, allowance),
  ]).then(() => log.close());
  child.stdin.on('error', () => undefined); // the guest may exit before we write
  return { isReady, isRead };
}

function keepTail(tail: string[], text: string): void {
  if (text.trim() === '') return;
  tail.push(text.slice(0, 500));
  if (tail.length > 5) tail.shift();
}

/** Resolves with a sentence when the process has exited, or could not be started. */
export async function watchExit(
  child: SandboxedProcess,
  program: GuestProgram,
  tail: string[],
  isRead: Promise<void>,
): Promise<string> {
  const how = await child.gone;
  // Its last output may still be in the pipe, which processes that the agent started may hold open.
  await Promise.race([Promise.all([child.drained, isRead]), delay(LAST_WORDS_MS)]);
  return [`The ${program.language} guest ${how}.`, ...tail.slice(-1)].join(' ');
}
