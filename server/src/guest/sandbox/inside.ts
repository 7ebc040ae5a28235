import { placesIn } from '../process/guest-directory.ts';
import type { SandboxImage } from './port.ts';

/** Paths in a sandbox. */
export const inside = {
  /** The guest's private folder, read-only: its host's sockets and its config.json. */
  privateFolder: '/run/agent-runtime',
  pythonGuest: '/opt/agent-runtime/guest',
  javascriptGuest: '/opt/agent-runtime/guests/js/src',
  /** Declares the guest's files as ES modules. */
  packageFile: '/opt/agent-runtime/package.json',
  javascriptPackages: '/opt/agent-runtime/node_modules',
  proto: '/opt/agent-runtime/proto',
  /** The Python guest's own packages. */
  libs: '/opt/agent-runtime/libs',
  /** The agents' Python packages. */
  packages: '/opt/agent-runtime/packages',
  /** The agents' JavaScript packages: Node searches this folder from every other one. */
  nodeModules: '/node_modules',
  /** The root tree of the image with MCP servers. */
  mcpTools: '/opt/mcp-tools',
  /** The folder that an installer writes to. */
  installed: '/opt/agent-runtime/installed',
  /** Files that settings of package indexes name. */
  index: '/opt/agent-runtime/index',
} as const;

/** The paths as the guest sees them. It creates its own socket in a writable folder, which the host does not see. */
export const insidePaths = {
  ...placesIn(inside.privateFolder),
  guestSocket: '/tmp/agent-runtime-guest.sock',
};

/** The environment of every program in a sandbox: the image's variables, and the one writable folder as HOME. */
export function basicEnvironment({ environment }: SandboxImage): Record<string, string> {
  return { ...environment, HOME: '/tmp', LANG: 'C.UTF-8' };
}
