import type { SandboxImage } from './port.ts';

/** What every program in a sandbox has in its environment: the image's variables, and the one writable folder. */
export function basicEnvironment({ environment }: SandboxImage): Record<string, string> {
  return { ...environment, HOME: '/tmp', LANG: 'C.UTF-8' };
}
