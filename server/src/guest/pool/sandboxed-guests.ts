import type { InstallerEgress, OpenEgress } from '../egress/program-egress.ts';
import type { GuestAgent, GuestLanguage, GuestProgram } from './guest-program.ts';
import { type GuestProgramOptions, prepareGuestProgram } from './guest-programs.ts';
import type { ImageSandbox } from '../sandbox/port.ts';

/** A sandbox, and what its guests are made of. */
export interface Sandboxed {
  sandbox: ImageSandbox;
  /** The image for each language. */
  images: Readonly<Record<GuestLanguage, string>>;
  /** The user's environment, where settings of package indexes are; agents see nothing of it. */
  userEnvironment: Readonly<Record<string, string>>;
  /** The images have the agents inside, with all that they need. */
  isPacked: boolean;
  mcpTools?: McpTools;
  /** Absent: guests have no way to the network but what the sandbox itself gives them. */
  egress?: OpenEgress;
  /** The way to the package indexes of what installs packages. Absent: it has the network of this machine, as guests have. */
  installerEgress?: InstallerEgress;
}

/** The programs that agents start as MCP servers. */
export interface McpTools {
  /** The root tree of their image. */
  folder: string;
  /** When no guest is left. */
  remove(): Promise<void>;
}

interface Wanted extends GuestProgramOptions {
  sourceFolders: readonly string[];
  dependencies: readonly string[];
}

/** Makes a guest's program ready, on this machine or in the sandbox; rejects with `guest_unavailable`. */
export async function prepareGuest(
  language: GuestLanguage,
  agents: readonly GuestAgent[],
  wanted: Wanted,
  { sandboxed, signal }: { sandboxed: Sandboxed | undefined; signal: AbortSignal },
): Promise<GuestProgram> {
  if (!sandboxed) return await prepareGuestProgram(language, agents, wanted, signal);
  // Loaded only where there is a sandbox.
  const { prepareSandboxedProgram } = await import('../sandbox/sandboxed-program.ts');
  const { mcpTools, ...rest } = sandboxed;
  const options = { ...wanted, ...rest, ...(mcpTools && { mcpTools: mcpTools.folder }) };
  return await prepareSandboxedProgram(language, agents, options, signal);
}
