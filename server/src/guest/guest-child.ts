import { setTimeout as delay } from 'node:timers/promises';

import { readOutput, type OutputLine } from './guest-output.ts';
import type { GuestProgram } from './guest-program.ts';
import type { Logger } from './logger.ts';
import type { SandboxedProcess } from './sandbox/port.ts';

/** How long the output of a process that is gone may take to come in. */
const LAST_WORDS_MS = 200;

/** Passes on what the process writes; resolves when it says that it is ready. */
export function watchOutput(
  child: SandboxedProcess,
  program: GuestProgram,
  options: {
    logger: Logger;
    onOutput: (line: OutputLine) => void;
    /** Its debugger can be had, at this port if it listens at one. */
    onDebugger: (port?: number) => void;
    /** It was asked whether it runs, and it does. */
    onAlive: () => void;
  },
  tail: string[],
): Promise<void> {
  return new Promise((resolve) => {
    const readers = {
      onEvent: (name: string, port?: number) => {
        if (name === 'ready') resolve();
        if (name === 'debugger') options.onDebugger(port);
        if (name === 'alive') options.onAlive();
      },
      onLine: (line: OutputLine) => {
        if (line.stream === 'stderr' && line.runUuid === undefined) keepTail(tail, line.text);
        const { language } = program;
        const fields = { language, guest_pid: child.pid, stream: line.stream, text: line.text };
        const about = line.runUuid === undefined ? {} : { run_id: line.runUuid };
        options.logger.info({ ...about, ...fields }, 'agent output');
        options.onOutput(line);
      },
    };
    readOutput(child.stdout, 'stdout', readers);
    readOutput(child.stderr, 'stderr', readers);
    child.stdin.on('error', () => undefined); // the guest may be gone before us
  });
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
): Promise<string> {
  const how = await child.gone;
  // Its last words are still in the pipe, which what the agent's code has started may hold open.
  await Promise.race([child.drained, delay(LAST_WORDS_MS)]);
  return [`The ${program.language} guest ${how}.`, ...tail.slice(-1)].join(' ');
}
