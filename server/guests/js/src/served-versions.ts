import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GuestError } from './guest-error.ts';

/** Tested are the oldest, the middle and the newest release of each line: docs/compatibility.md. */
export const served = {
  package: '@langchain/langgraph',
  /** The oldest release that works. */
  oldest: '0.4',
  /** The newest major release that was tested. */
  newestMajor: 1,
};

/** The release of the copy of LangGraph in a folder; "" where its package.json names none. */
export function releaseIn(directory: string): string {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
    const version = (manifest as { version?: unknown } | null)?.version; // any JSON
    return typeof version === 'string' ? version : '';
  } catch {
    return '';
  }
}

/**
 * Throws `agent_error` with both releases when this one is too old. Returns a warning when it is of a newer major
 * release than was tested: it is served. A release that is not known passes.
 */
export function checkRelease(release: string): string | undefined {
  const { package: name, oldest, newestMajor } = served;
  const found = numbersOf(release);
  if (found.length === 0) return undefined;
  if (isOlder(found, numbersOf(oldest))) {
    throw new GuestError(
      'agent_error',
      `${name} ${release}; ${oldest} or newer is needed. Update it where the agent's packages are installed, for ` +
        `example with \`npm install ${name}@latest @langchain/core@latest\`.`,
    );
  }
  if ((found[0] ?? 0) <= newestMajor) return undefined;
  return (
    `${name} ${release} is newer than what was tested (${oldest} to ${newestMajor}.x): ` +
    'the agents are served all the same.'
  );
}

/** The error of an agent for which LangGraph is not installed. */
export function missingLangGraph(file: string): GuestError {
  const { package: name, oldest } = served;
  return new GuestError(
    'agent_error',
    `${name} is not installed for ${file}; ${oldest} or newer is needed. Install what the agent requires in its ` +
      `folder: \`npm install\`, or \`npm install ${name} @langchain/core\` when its package.json does not name it.`,
  );
}

/** The numbers of a release; those of a pre-release are the numbers of what it precedes. */
export function numbersOf(release: string): number[] {
  const found = /^v?(\d+(?:\.\d+)*)/.exec(release.trim());
  return found?.[1]?.split('.').map(Number) ?? [];
}

function isOlder(release: readonly number[], other: readonly number[]): boolean {
  for (let index = 0; index < Math.max(release.length, other.length); index += 1) {
    const difference = (release[index] ?? 0) - (other[index] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
