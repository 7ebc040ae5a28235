import type { InstallerEgress, OpenEgress } from '../egress/program-egress.ts';
import type { GuestAgent, GuestLanguage, GuestProgram } from './guest-program.ts';
import { type GuestProgramOptions, prepareGuestProgram } from './guest-programs.ts';
import type { ImageSandbox } from '../sandbox/port.ts';

/** A sandbox, and the images, environment and network access of its guests. */
export interface Sandboxed {
  sandbox: ImageSandbox;
  /** The image for each language. */
  images: Readonly<Record<GuestLanguage, string>>;
  /** The user's environment, which has the settings of package indexes; agents do not see it. */
  userEnvironment: Readonly<Record<string, string>>;
  /** The images contain the agents with all their dependencies. */
  isPacked: boolean;
  mcpTools?: McpTools;
  /** Absent: guests have only the network access of the sandbox itself. */
  egress?: OpenEgress;
  /** The installers' access to package indexes. Absent: installers use the network of this machine, as guests do. */
  installerEgress?: InstallerEgress;
}

/** The tools with which agents start MCP servers. */
export interface McpTools {
  /** The root tree of their image. */
  folder: string;
  /** To be called when no guest is left. */
  remove(): Promise<void>;
}

interface Wanted extends GuestProgramOptions {
  sourceFolders: readonly string[];
  dependencies: readonly string[];
}

/** Prepares a guest's program, on this machine or in the sandbox; rejects with `guest_unavailable`. */
export async function prepareGuest(
  language: GuestLanguage,
  agents: readonly GuestAgent[],
  wanted: Wanted,
  { sandboxed, signal }: { sandboxed: Sandboxed | undefined; signal: AbortSignal },
): Promise<GuestProgram> {
  if (!sandboxed) return await prepareGuestProgram(language, agents, wanted, signal);
  // Loaded only if there is a sandbox.
  const { prepareSandboxedProgram } = await import('../sandbox/sandboxed-program.ts');
  const { mcpTools, ...rest } = sandboxed;
  const options = { ...wanted, ...rest, ...(mcpTools && { mcpTools: mcpTools.folder }) };
  return await prepareSandboxedProgram(language, agents, options, signal);
}
