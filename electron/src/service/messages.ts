// The messages between the desktop and the process of its service. Both ends are built from this file.
import type { SandboxFindings } from '../../../server/src/index.ts';
import type {
  DebuggingRequest,
  DebuggingView,
  DesktopSettings,
  LogLine,
  MissingPackages,
  StepName,
} from '../ipc/contract.ts';

/** The parameters of a start. */
export interface StartRequest {
  /** The agent folder, absolute. */
  readonly folder: string;
  /** The directory of the data of all agent folders. */
  readonly dataRoot: string;
  /** The entry of the server package, compiled. */
  readonly serverEntry: string;
  /** The packaged engine; absent in a checkout, where the server finds it. */
  readonly engine?: string;
  /** Made for this start alone. */
  readonly token: string;
  readonly settings: DesktopSettings;
  /** Missing packages are installed, or missing images built, first. */
  readonly isInstalling: boolean;
}

export type ToService =
  | { readonly type: 'start'; readonly request: StartRequest }
  | { readonly type: 'stop'; readonly drainMs: number }
  /** Cancels a build of images: they are missing then. */
  | { readonly type: 'cancel-build' }
  /** Checks what sandboxes need of this machine; sent to a process that serves nothing. */
  | { readonly type: 'examine'; readonly serverEntry: string }
  /** Starts the debugger with this request, or stops it without one. */
  | { readonly type: 'debug'; readonly id: number; readonly request?: DebuggingRequest };

export type FromService =
  | { readonly type: 'step'; readonly name: StepName }
  | { readonly type: 'progress'; readonly message: string }
  | { readonly type: 'warning'; readonly message: string }
  /** Sent when packages are missing and their installation was not requested. */
  | { readonly type: 'missing-packages'; readonly packages: readonly MissingPackages[] }
  | { readonly type: 'lines'; readonly lines: readonly Omit<LogLine, 'id'>[] }
  | { readonly type: 'ready'; readonly url: string }
  /** The start failed, or the running service did. */
  | { readonly type: 'failed'; readonly code: string; readonly message: string }
  /** The engine became unavailable, or is back. */
  | { readonly type: 'engine'; readonly failing?: string }
  /** The state of the debugger, at every change. */
  | { readonly type: 'debugging'; readonly view: DebuggingView }
  /** The result of the `debug` message of this id. */
  | { readonly type: 'debugged'; readonly id: number; readonly view: DebuggingView }
  | { readonly type: 'examined'; readonly findings: SandboxFindings }
  | { readonly type: 'stopped' };
