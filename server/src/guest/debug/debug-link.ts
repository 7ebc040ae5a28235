import type { DebugProvider } from '../../model/debugging.ts';
import type { DebugPatience } from '../pool/patience.ts';

/** How a guest is started under a debugger. */
export interface DebugLaunch {
  provider: DebugProvider;
  options: Readonly<Record<string, string>>;
  /** pydevd: where the guest dials. The others choose a port themselves, and say which. */
  dialPort?: number;
}

/** What ties the guests of a lane to the debugger: there is one at a time. */
export interface DebugLink {
  readonly launch: DebugLaunch;
  readonly patience: DebugPatience;
  /** The guest goes on only when a client told it to. */
  readonly waitsForClient: boolean;
  /** The debugger of this guest can be had now; pydevd listens nowhere. */
  onDebugger(pid: number, port: number | undefined): void;
  /** The guest takes no more runs, and goes when those it has have ended. */
  onRetired(pid: number): void;
  /** The guest is gone. */
  onGone(pid: number): void;
  /** No guest came up. */
  onFailure(message: string): void;
}
