import { runCommand, type CommandOptions } from './run-command.ts';

/** What an interpreter says its version is: `3.12.3`. Rejects with CommandFailed. */
export async function interpreterVersion(
  command: string,
  options: CommandOptions,
): Promise<string> {
  const said = await runCommand(command, ['--version'], options);
  return /\d+(\.\d+)+/.exec(said)?.[0] ?? said.trim();
}

/** Compares as many numbers as `wanted` has: 3.12.3 is not older than 3.12. */
export function isOlder(version: string, wanted: string): boolean {
  const has = version.split('.').map(Number);
  for (const [index, number] of numbersOf(wanted).entries()) {
    const difference = (has[index] ?? 0) - number;
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** Says that the interpreter is not what the manifest asks for; the agents may run on it all the same. */
export function olderSentence(
  key: 'python_version' | 'node_version',
  wanted: string,
  command: string,
  version: string,
): string {
  const name = key === 'python_version' ? 'Python' : 'Node';
  return `Warning: ${key} of the manifest is ${wanted}; the agents run on ${command}, which is ${version}. Name a newer ${name} with --interpreter.`;
}

/** Without what stands behind them: `3.12-bookworm`. */
function numbersOf(version: string): number[] {
  return version.replace(/-.*$/, '').split('.').map(Number);
}
