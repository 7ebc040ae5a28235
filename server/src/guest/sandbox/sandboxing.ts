import type { GuestProgramOptions } from '../pool/guest-programs.ts';
import type { GuestAgent, GuestLanguage } from '../pool/guest-program.ts';
import type { Installer } from './installed-packages.ts';
import type { InstallerEgress } from '../egress/program-egress.ts';
import type { ImageSandbox } from './port.ts';
import type { SourcePaths } from './source-paths.ts';

export interface SandboxedProgramOptions extends Omit<
  GuestProgramOptions,
  'interpreter' | 'debug'
> {
  sandbox: ImageSandbox;
  installerEgress?: InstallerEgress;
  /** The image for each language. */
  images: Readonly<Record<GuestLanguage, string>>;
  /** The user's environment, which has the settings of package indexes; agents do not see it. */
  userEnvironment: Readonly<Record<string, string>>;
  /** The image contains the agents with all their dependencies: nothing is mounted or installed for them. */
  isPacked: boolean;
  /** The folders with the agents' code, absolute; the agent folder first. */
  sourceFolders: readonly string[];
  /** The folder with the programs that agents start as MCP servers. Absent: none. */
  mcpTools?: string;
  /** The manifest's `dependencies`. */
  dependencies: readonly string[];
}

/** The common input of both languages. */
export interface Sandboxing {
  agents: readonly GuestAgent[];
  options: SandboxedProgramOptions;
  installer: Installer;
  sourcePaths: SourcePaths;
  /** The agent folder, as the guest sees it. */
  sourceDir: string;
}
