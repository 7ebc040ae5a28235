import { placesIn } from '../process/guest-directory.ts';
import type { SandboxImage } from './port.ts';

/** Where things are in a sandbox. */
export const inside = {
  /** The guest's private folder, read-only: its host's sockets and its config.json. */
  privateFolder: '/run/agent-runtime',
  pythonGuest: '/opt/agent-runtime/guest',
  javascriptGuest: '/opt/agent-runtime/guests/js/src',
  /** Says that the guest's files are modules. */
  packageFile: '/opt/agent-runtime/package.json',
  javascriptPackages: '/opt/agent-runtime/node_modules',
  proto: '/opt/agent-runtime/proto',
  /** The Python guest's own packages. */
  libs: '/opt/agent-runtime/libs',
  /** The agents' Python packages. */
  packages: '/opt/agent-runtime/packages',
  /** The agents' JavaScript packages: Node looks there from every folder. */
  nodeModules: '/node_modules',
  /** The root tree of the image with MCP servers. */
  mcpTools: '/opt/mcp-tools',
  /** What an installer writes into. */
  installed: '/opt/agent-runtime/installed',
  /** Files that settings of package indexes name. */
  index: '/opt/agent-runtime/index',
} as const;

/** As the guest sees it. It makes its own socket where it may write; nobody outside knows that one. */
export const insidePlaces = {
  ...placesIn(inside.privateFolder),
  guestSocket: '/tmp/agent-runtime-guest.sock',
};

/** What every program in a sandbox has in its environment: the image's variables, and the one writable folder. */
export function basicEnvironment({ environment }: SandboxImage): Record<string, string> {
  return { ...environment, HOME: '/tmp', LANG: 'C.UTF-8' };
}
