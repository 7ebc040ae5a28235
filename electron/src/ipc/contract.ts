/*
 * The bridge (`ipc/contract.ts`) answers `{ok, value}` or `{ok: false, error: {code, message}}` and never rejects.
 * Main looks at the sender's frame and parses every payload. Files leave to an editor only when they really lie in the
 * opened folder; a bundle is saved from a route into a file without passing through the page, and comes in only by the
 * page that shows it first.
 */
// What the preload bridge gives the window, as `window.desktop`. A browser has no such thing.
import type { Notice, NoticeName, RequestInput, RequestName, RequestOutput } from './channels.ts';

export type { EditorPlace, RemotePlace } from './channels.ts';
export type { DesktopSettings, SettingsPatch } from './desktop-settings.ts';
export type {
  DebuggingRequest,
  DebuggingView,
  Finding,
  LaunchConfiguration,
  LaunchEntry,
  LogLine,
  RecentFolder,
  Responsiveness,
  SavedFile,
  UpdateView,
} from './desktop-values.ts';
export type {
  HelpingAction,
  MissingPackages,
  ServiceFailure,
  ServiceView,
  StartStep,
  StepName,
} from './service-view.ts';

/** What went wrong in main, as data: an Error would lose its code on the way. */
export interface DesktopError {
  /** The server's error code, or `bad_payload`, `foreign_sender`, `not_possible`, `internal`. */
  readonly code: string;
  readonly message: string;
}

/** Every answer of the bridge. The promise itself never rejects. */
export type Reply<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: DesktopError };

type Ask<N extends RequestName> =
  undefined extends RequestInput<N>
    ? () => Promise<Reply<RequestOutput<N>>>
    : (input: RequestInput<N>) => Promise<Reply<RequestOutput<N>>>;

/** Calls the listener with every later notice; returns how to stop that. */
type Listen<N extends NoticeName> = (listener: (notice: Notice<N>) => void) => () => void;

/** The whole bridge. Nothing else of the desktop can be reached from the window. */
export interface DesktopBridge {
  /** For the page's footer and for bug reports. */
  readonly versions: {
    readonly electron: string;
    readonly chrome: string;
    readonly platform: string;
  };
  /** The service behind `/api`. Start, stop, restart, install and connect answer when they are through, `onChange` tells of every step. */
  readonly service: {
    readonly view: Ask<'service:view'>;
    readonly start: Ask<'service:start'>;
    readonly stop: Ask<'service:stop'>;
    readonly restart: Ask<'service:restart'>;
    /** Restarts, and before that installs the packages or builds the images that are missing. */
    readonly install: Ask<'service:install'>;
    /** The start for which images are built fails for their lack. */
    readonly cancelBuild: Ask<'service:cancel-build'>;
    readonly connect: Ask<'service:connect'>;
    readonly disconnect: Ask<'service:disconnect'>;
    /** Puts what other programs must send as `X-Service-Token` on the clipboard; the window does not get it. */
    readonly copyToken: Ask<'service:copy-token'>;
    readonly onChange: Listen<'service:changed'>;
  };
  /** `choose` shows the system's dialog and returns null when it is cancelled; it does not start anything. */
  readonly folders: {
    readonly choose: Ask<'folders:choose'>;
    readonly recent: Ask<'folders:recent'>;
    readonly forget: Ask<'folders:forget'>;
  };
  /** The last 5,000 lines, and those that come later in groups. */
  readonly logs: {
    readonly recent: Ask<'logs:recent'>;
    readonly onLines: Listen<'logs:lines'>;
  };
  readonly doctor: { readonly examine: Ask<'doctor:examine'> };
  readonly settings: {
    readonly read: Ask<'settings:read'>;
    readonly write: Ask<'settings:write'>;
  };
  /** From a route of the service into a file that the user picks in a dialog; null when it is cancelled. */
  readonly files: {
    /** GETs the route into the file. */
    readonly saveBundle: Ask<'files:save-bundle'>;
  };
  /** Opens a file of the agent folder, or the folder itself (`.`), in VS Code. */
  readonly editor: { readonly open: Ask<'editor:open'> };
  readonly debugging: {
    readonly view: Ask<'debugging:view'>;
    readonly start: Ask<'debugging:start'>;
    readonly stop: Ask<'debugging:stop'>;
    /** Into `.vscode/launch.json` of the agent folder; an entry of the same name takes these values. */
    readonly addLaunchConfiguration: Ask<'debugging:add-launch-configuration'>;
    /** The file as it was before the last one was added, or an error when it has been edited since. */
    readonly undoLaunchConfiguration: Ask<'debugging:undo-launch-configuration'>;
    readonly onChange: Listen<'debugging:changed'>;
  };
  readonly app: {
    readonly checkForUpdates: Ask<'app:check-for-updates'>;
    readonly about: Ask<'app:about'>;
    /** Looks at the main process's event loop, and begins anew. */
    readonly responsiveness: Ask<'app:responsiveness'>;
    /** A menu item wants the page to go somewhere. */
    readonly onCommand: Listen<'app:command'>;
  };
}
