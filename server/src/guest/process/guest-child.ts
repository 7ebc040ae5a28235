import { setTimeout as delay } from 'node:timers/promises';

import { readOutput, type GuestLine } from './guest-output.ts';
import { DroppedOutputLog } from './dropped-output-log.ts';
import type { GuestProgram } from '../pool/guest-program.ts';
import type { Logger } from '../port.ts';
import { OutputAllowance, type DroppedOutput } from './output-allowance.ts';
import type { SandboxedProcess } from '../sandbox/port.ts';

/** How long the output of a process that is gone may take to come in. */
const LAST_WORDS_MS = 200;

/** Passes on what the process writes, until `isRead`; `isReady` resolves when it says that it is ready. */
export function watchOutput(
  child: Pick<SandboxedProcess, 'pid' | 'stdin' | 'stdout' | 'stderr'>,
  program: Pick<GuestProgram, 'language'>,
  options: {
    logger: Logger;
    onOutput: (line: GuestLine) => void;
    /** Its debugger can be had, at this port if it listens at one. */
    onDebugger: (port?: number) => void;
    /** It was asked whether it runs, and it does. */
    onAlive: () => void;
    /** It wrote more than is kept. */
    onDropped?: (dropped: DroppedOutput) => void;
  },
  tail: string[],
): { isReady: Promise<void>; isRead: Promise<void> } {
  let resolve = (): void => undefined;
  const isReady = new Promise<void>((done) => (resolve = done)); // at once: `resolve` is its own then
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
  child.stdin.on('error', () => undefined); // the guest may be gone before us
  return { isReady, isRead };
}

function keepTail(tail: string[], text: string): void {
  if (text.trim() === '') return;
  tail.push(text.slice(0, 500));
  if (tail.length > 5) tail.shift();
}

/** Resolves with a sentence when the process is gone, or could not be started. */
export async function watchExit(
  child: SandboxedProcess,
  program: GuestProgram,
  tail: string[],
  isRead: Promise<void>,
): Promise<string> {
  const how = await child.gone;
  // Its last words are still in the pipe, which what the agent's code has started may hold open.
  await Promise.race([Promise.all([child.drained, isRead]), delay(LAST_WORDS_MS)]);
  return [`The ${program.language} guest ${how}.`, ...tail.slice(-1)].join(' ');
}
