import type { AgentId } from '../../model/ids.ts';

/** The data of an agent that guests need. */
export interface GuestAgent {
  agentId: AgentId;
  language: GuestLanguage;
  /** Its path in the agent folder, for example `./agent.py:graph`. */
  path: string;
}

export type GuestLanguage = 'python' | 'javascript';

/** A folder or file of this machine that is mounted in a guest's sandbox. */
export interface Mount {
  readonly from: string;
  /** Absolute, in the sandbox. */
  readonly to: string;
  /** Absent: read-only. Only for package installers, never for agents. */
  readonly isWritable?: boolean;
}

/** What a sandbox additionally needs to run a program. */
export interface SandboxedProgram {
  /** The image, as the sandbox names it. */
  readonly image: string;
  readonly mounts: readonly Mount[];
  /** Absent: the network of the sandbox's guests. `host`: that of this machine; only for package installers. */
  readonly network?: 'host';
}

/** How a guest process is started. All paths are as the guest sees them. */
export interface GuestProgram {
  language: GuestLanguage;
  command: string;
  /** The path of its config.json is appended. */
  args: string[];
  /** Its complete environment. */
  environment: Record<string, string>;
  workingDirectory: string;
  /** Further entries of config.json, besides the sockets and the message limit. */
  config: Record<string, unknown>;
  /** Absent: only for `--sandbox none`. */
  sandboxed?: SandboxedProgram;
}
