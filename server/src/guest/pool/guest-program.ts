import type { AgentId } from '../../model/ids.ts';

/** An agent as the guests need to know it. */
export interface GuestAgent {
  agentId: AgentId;
  language: GuestLanguage;
  /** Where it is in the agent folder, for example `./agent.py:graph`. */
  path: string;
}

export type GuestLanguage = 'python' | 'javascript';

/** A folder or file of this machine, as a guest in a sandbox has it. */
export interface Mount {
  readonly from: string;
  /** Absolute, in the sandbox. */
  readonly to: string;
  /** Absent: read-only. Only for what installs packages, never for agents. */
  readonly isWritable?: boolean;
}

/** What a sandbox needs besides, to run a program in. */
export interface SandboxedProgram {
  /** The image, as the sandbox knows it. */
  readonly image: string;
  readonly mounts: readonly Mount[];
  /** Absent: what guests of the sandbox may reach. `host`: what this machine may; only for what installs packages. */
  readonly network?: 'host';
}

/** How a guest process is started. All paths are as the guest sees them. */
export interface GuestProgram {
  language: GuestLanguage;
  command: string;
  /** The path of its config.json is appended. */
  args: string[];
  /** Its whole environment. */
  environment: Record<string, string>;
  workingDirectory: string;
  /** Further entries of config.json, besides the sockets and the message limit. */
  config: Record<string, unknown>;
  /** Absent: only for `--sandbox none`. */
  sandboxed?: SandboxedProgram;
}
