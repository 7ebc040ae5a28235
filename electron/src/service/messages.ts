// What the desktop and the process of its service tell each other. Both ends are built from this file.
import type { SandboxFindings } from '../../../server/src/index.ts';
import type {
  DebuggingRequest,
  DebuggingView,
  DesktopSettings,
  LogLine,
  MissingPackages,
  StepName,
} from '../ipc/contract.ts';

/** Everything a start needs to know. */
export interface StartRequest {
  /** The agent folder, absolute. */
  readonly folder: string;
  /** Where the data of all agent folders lies. */
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
  /** Gives up a build of images: they are missing then. */
  | { readonly type: 'cancel-build' }
  /** Looks at what sandboxes need of this machine; of a process that serves nothing. */
  | { readonly type: 'examine'; readonly serverEntry: string }
  /** Starts the debugger with this request, or stops it without one. */
  | { readonly type: 'debug'; readonly id: number; readonly request?: DebuggingRequest };

export type FromService =
  | { readonly type: 'step'; readonly name: StepName }
  | { readonly type: 'progress'; readonly message: string }
  | { readonly type: 'warning'; readonly message: string }
  /** Told when there are some, and nobody asked for their installation. */
  | { readonly type: 'missing-packages'; readonly packages: readonly MissingPackages[] }
  | { readonly type: 'lines'; readonly lines: readonly Omit<LogLine, 'id'>[] }
  | { readonly type: 'ready'; readonly url: string }
  /** The start failed, or the service that ran does not any more. */
  | { readonly type: 'failed'; readonly code: string; readonly message: string }
  /** The engine went away, or is back. */
  | { readonly type: 'engine'; readonly failing?: string }
  /** What is known of the debugger, whenever that changes. */
  | { readonly type: 'debugging'; readonly view: DebuggingView }
  /** What came of the message of this number. */
  | { readonly type: 'debugged'; readonly id: number; readonly view: DebuggingView }
  | { readonly type: 'examined'; readonly findings: SandboxFindings }
  | { readonly type: 'stopped' };
