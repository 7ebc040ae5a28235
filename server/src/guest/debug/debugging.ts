import type { DebugProvider } from '../../model/debugging.ts';
import type { GuestLanguage } from '../pool/guest-program.ts';
import type { DebugPatience } from '../pool/patience.ts';

/** How a guest is started under a debugger. */
export interface DebugLaunch {
  provider: DebugProvider;
  options: Readonly<Record<string, string>>;
  /** pydevd: the port that the guest dials. The other debuggers choose a port themselves and report it. */
  dialPort?: number;
}

/** Connects the guests of a lane to the debugger, of which there is one at a time. */
export interface DebugLink {
  readonly launch: DebugLaunch;
  readonly patience: DebugPatience;
  /** The guest continues only on a client's command. */
  readonly waitsForClient: boolean;
  /** The debugger of this guest is ready; pydevd has no port, since it does not listen. */
  onDebugger(pid: number, port: number | undefined): void;
  /** The guest takes no more runs, and exits when its current ones have ended. */
  onRetired(pid: number): void;
  /** The guest has exited. */
  onGone(pid: number): void;
  /** No guest could be started. */
  onFailure(message: string): void;
}

export type { DebugProvider } from '../../model/debugging.ts';

/** The current state of the debugger. */
export interface DebuggingView {
  state: 'off' | 'starting' | 'waiting' | 'attached' | 'failed';
  provider?: DebugProvider;
  language?: GuestLanguage;
  /** The debugger's port or, for pydevd, the IDE's; on 127.0.0.1. */
  port?: number;
  /** The guest that is debugged. */
  pid?: number;
  /** Why it failed, or why the guest does not start again. */
  message?: string;
}

/** What is to be debugged. */
export interface DebugRequest {
  provider: DebugProvider;
  /** 0: a free one. */
  port: number;
  /** As of `--debug-opt`. */
  options?: Readonly<Record<string, string>>;
}

/**
 * The debugger of a service. While it is on, all agents of its language run in one guest under it; the others run as
 * usual. Starts and stops are serialised.
 */
export interface Debugging {
  view(): DebuggingView;
  /** Resolves when a client can attach, or with the failure. Runs in flight finish on their guests. */
  start(request: DebugRequest): Promise<DebuggingView>;
  /** Disconnects the client and returns to ordinary guests. */
  stop(): Promise<DebuggingView>;
  /** Calls the listener with every change from now on; returns a function that removes it. */
  onChange(listener: (view: DebuggingView) => void): () => void;
}
