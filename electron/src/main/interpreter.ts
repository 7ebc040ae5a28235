// The programs that run agents.
import path from 'node:path';
import { DesktopFailure } from './desktop-failure.ts';
import { isAtLeast, outputOf } from './probe.ts';

export const oldestPython = [3, 10] as const;
export const oldestNode = [22, 18] as const;

/** As the service distinguishes the two (server/src/guest/process/interpreter.ts). */
export function isNode(interpreter: string): boolean {
  return /^(node|nodejs|bun|deno)([-.\d]|$)/i.test(path.basename(interpreter));
}

/** Rejects with the reason unless the program responds as an interpreter that agents can run on. */
export async function requireInterpreter(program: string): Promise<void> {
  const [name, oldest] = isNode(program) ? ['Node', oldestNode] : ['Python', oldestPython];
  const output = await outputOf(program, '--version');
  const wanted = `Agents need ${name} ${oldest.join('.')} or newer`;
  const found = output?.split('\n')[0] ?? 'a program that does not respond to --version';
  const isIt = output !== undefined && /^(Python \d|v?\d)/.test(output);
  if (!isIt || !isAtLeast(output, oldest)) {
    throw new DesktopFailure('not_possible', `${wanted}; ${program} is ${found}.`);
  }
}
