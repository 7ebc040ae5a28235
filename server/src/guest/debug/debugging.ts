import type { DebugProvider } from '../../model/debugging.ts';
import type { GuestLanguage } from '../pool/guest-program.ts';
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

export type { DebugProvider } from '../../model/debugging.ts';

/** What is known of the debugger at this moment. */
export interface DebuggingView {
  state: 'off' | 'starting' | 'waiting' | 'attached' | 'failed';
  provider?: DebugProvider;
  language?: GuestLanguage;
  /** Where the debugger listens or, for pydevd, where the IDE listens; on 127.0.0.1. */
  port?: number;
  /** The guest that is debugged. */
  pid?: number;
  /** Why it failed, or why the guest does not come up again. */
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
 * always. Start and stop take their turns.
 */
export interface Debugging {
  view(): DebuggingView;
  /** Resolves when a client can attach, or with why not. Runs in flight finish where they are. */
  start(request: DebugRequest): Promise<DebuggingView>;
  /** Lets go of the client, and goes back to ordinary guests. */
  stop(): Promise<DebuggingView>;
  /** Tells every change from now on; returns how to stop listening. */
  onChange(listener: (view: DebuggingView) => void): () => void;
}
