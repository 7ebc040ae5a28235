import { runCommand, type CommandOptions } from './run-command.ts';

/** The version that an interpreter reports: `3.12.3`. Rejects with CommandFailed. */
export async function interpreterVersion(
  command: string,
  options: CommandOptions,
): Promise<string> {
  const output = await runCommand(command, ['--version'], options);
  return /\d+(\.\d+)+/.exec(output)?.[0] ?? output.trim();
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

/** A warning that the interpreter is older than the manifest requires; the agents may still run on it. */
export function olderSentence(
  key: 'python_version' | 'node_version',
  wanted: string,
  command: string,
  version: string,
): string {
  const name = key === 'python_version' ? 'Python' : 'Node';
  return `Warning: ${key} of the manifest is ${wanted}; the agents run on ${command}, which is ${version}. Name a newer ${name} with --interpreter.`;
}

/** The numbers without a suffix such as that of `3.12-bookworm`. */
function numbersOf(version: string): number[] {
  return version.replace(/-.*$/, '').split('.').map(Number);
}
