/*
 * The bridge (`ipc/contract.ts`) returns `{ok, value}` or `{ok: false, error: {code, message}}` and never rejects.
 * Main checks the sender's frame and parses every payload. It starts only folders that a person has named
 * (`main/folder-grants.ts`), and has an interpreter, a feed of updates, a remote host and a link confirmed in a dialog
 * of the system, which no page can click (`main/confirmations.ts`). A file opens in an editor only when its real path is
 * in the opened folder; a bundle is saved from a route into a file without passing through the page, and is imported
 * only by the page that shows it first.
 */
// What the preload bridge gives the window, as `window.desktop`. Absent in a browser.
import type { Notice, NoticeName, RequestInput, RequestName, RequestOutput } from './channels.ts';

export type { EditorLocation, RemoteEndpoint } from './channels.ts';
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

/** What went wrong in main, as data: IPC drops an Error's code. */
export interface DesktopError {
  /** The server's error code, or `bad_payload`, `foreign_sender`, `not_possible`, `internal`. */
  readonly code: string;
  readonly message: string;
}

/** Every reply of the bridge. The promise itself never rejects. */
export type Reply<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: DesktopError };

type Invoke<N extends RequestName> =
  undefined extends RequestInput<N>
    ? () => Promise<Reply<RequestOutput<N>>>
    : (input: RequestInput<N>) => Promise<Reply<RequestOutput<N>>>;

/** Calls the listener with every later notice; returns the function that unsubscribes. */
type Listen<N extends NoticeName> = (listener: (notice: Notice<N>) => void) => () => void;

/** The whole bridge. Nothing else of the desktop can be reached from the window. */
export interface DesktopBridge {
  /** For the page's footer and for bug reports. */
  readonly versions: {
    readonly electron: string;
    readonly chrome: string;
    readonly platform: string;
  };
  /** The service behind `/api`. Start, stop, restart, install and connect resolve when they are done, `onChange` reports every step. */
  readonly service: {
    readonly view: Invoke<'service:view'>;
    readonly start: Invoke<'service:start'>;
    readonly stop: Invoke<'service:stop'>;
    readonly restart: Invoke<'service:restart'>;
    /** Restarts, and before that installs the packages or builds the images that are missing. */
    readonly install: Invoke<'service:install'>;
    /** The start that builds the images fails, because they are missing. */
    readonly cancelBuild: Invoke<'service:cancel-build'>;
    readonly connect: Invoke<'service:connect'>;
    readonly disconnect: Invoke<'service:disconnect'>;
    /** Puts what other programs must send as `X-Service-Token` on the clipboard; the window does not get it. */
    readonly copyToken: Invoke<'service:copy-token'>;
    readonly onChange: Listen<'service:changed'>;
  };
  /**
   * `choose` shows the system's dialog and returns null when it is cancelled, `examples` is the folder of the example
   * agents in the profile, which it makes; neither starts anything.
   */
  readonly folders: {
    readonly choose: Invoke<'folders:choose'>;
    readonly examples: Invoke<'folders:examples'>;
    readonly recent: Invoke<'folders:recent'>;
    readonly forget: Invoke<'folders:forget'>;
  };
  /** The last 5,000 lines, and those that come later in groups. */
  readonly logs: {
    readonly recent: Invoke<'logs:recent'>;
    readonly onLines: Listen<'logs:lines'>;
  };
  readonly doctor: { readonly examine: Invoke<'doctor:examine'> };
  readonly settings: {
    readonly read: Invoke<'settings:read'>;
    readonly write: Invoke<'settings:write'>;
    /** Sets the program that is picked in the system's dialog, once it responds as Python or Node; null: cancelled. */
    readonly chooseInterpreter: Invoke<'settings:choose-interpreter'>;
  };
  /** From a route of the service into a file that the user picks in a dialog; null when it is cancelled. */
  readonly files: {
    /** GETs the route into the file. */
    readonly saveBundle: Invoke<'files:save-bundle'>;
  };
  /** Opens a file of the agent folder, or the folder itself (`.`), in VS Code. */
  readonly editor: { readonly open: Invoke<'editor:open'> };
  readonly debugging: {
    readonly view: Invoke<'debugging:view'>;
    readonly start: Invoke<'debugging:start'>;
    readonly stop: Invoke<'debugging:stop'>;
    /** Into `.vscode/launch.json` of the agent folder; an entry of the same name gets these values. */
    readonly addLaunchConfiguration: Invoke<'debugging:add-launch-configuration'>;
    /** The file as it was before the last one was added, or an error when it has been edited since. */
    readonly undoLaunchConfiguration: Invoke<'debugging:undo-launch-configuration'>;
    readonly onChange: Listen<'debugging:changed'>;
  };
  readonly app: {
    readonly checkForUpdates: Invoke<'app:check-for-updates'>;
    readonly about: Invoke<'app:about'>;
    /** Measures the main process's event loop, and resets the measurement. */
    readonly responsiveness: Invoke<'app:responsiveness'>;
    /** Notifies of a run that has ended or asks, unless the window is in front or the setting is off. */
    readonly announceRun: Invoke<'app:announce-run'>;
    /** A menu item or a notification navigates the page. */
    readonly onCommand: Listen<'app:command'>;
    /** The service or the page is about to go: what was delayed to be undone is done now, then `settled`. */
    readonly onSettle: Listen<'app:settle'>;
    readonly settled: Invoke<'app:settled'>;
  };
}
