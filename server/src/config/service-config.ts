/*
 * Settings: defaults, file, environment and flags become one checked `ServiceConfig`, which never changes. `settings/`
 * lists every setting once; documents and messages are rendered from that list.
 */
import type { EgressRule } from '../guest/egress/egress-rule.ts';
import type { ApiAuth } from './api-auth.ts';
import type { DebugProvider } from '../model/debugging.ts';
import type { ApiTls } from './api-tls.ts';
import type { EngineAuth } from './engine-auth.ts';
import type { ExternalStorageConfig } from './external-storage.ts';
import type { HistoryConfig } from './history-config.ts';
import type { ImageConfig } from './image-config.ts';
import type { ListenAddress } from './listener.ts';
import type { ContainerConfig } from './sandbox-config.ts';
import type { StoreConfig } from './store-config.ts';
import type { TelemetryConfig } from './telemetry.ts';
import type { WebhookConfig } from './webhook-config.ts';

/** All external settings of the service, parsed once and deeply frozen. */
export interface ServiceConfig {
  /** Real path of the agent folder. */
  readonly sourceDir: string;
  /** Contains the engine's database and the instance lock; may not exist yet. */
  readonly dataDir: string;
  /** Contains data that can be fetched again, for all services of the user; may not exist yet. */
  readonly cacheDir: string;
  /** Without a host: every interface. */
  readonly api: Readonly<ListenAddress> & {
    readonly maxBodyBytes: number;
    readonly isStudioServed: boolean;
    /** Absent: all callers are anonymous. */
    readonly auth?: ApiAuth;
    /** Absent: plain HTTP. */
    readonly tls?: ApiTls;
    /** Accepted values of the Host header, in lower case. Absent: only those that are always accepted. */
    readonly allowedHosts?: readonly string[];
    /** Absent: no origin is allowed. */
    readonly allowedOrigins?: readonly string[];
    /** Absent: no X-Service-Token is required. */
    readonly serviceToken?: string;
  };
  readonly engine: {
    /** Absent: the engine is provisioned. */
    readonly target?: string;
    /** The embedded engine program to start; absent: it is searched for. */
    readonly binary?: string;
    /** Absent: a plain connection without credentials. */
    readonly auth?: EngineAuth;
    readonly namespace: string;
    readonly taskQueue: string;
    readonly maxCheckpointHistory: number;
    /** Of threads that a client of LangGraph Server makes. */
    readonly compatCheckpointHistory: number;
    /** The resolved ceiling, never 0. */
    readonly maxCheckpointBytes: number;
    /** The default: a smaller payload limit of the engine lowers it. */
    readonly isCheckpointCeilingAutomatic: boolean;
    /** Overrides the budget that is derived from the ceiling. */
    readonly canPayloadBudgetBytes?: number;
    /** Absent: payloads are stored within their threads. */
    readonly externalStorage?: ExternalStorageConfig;
    readonly runRestart: {
      readonly maxAttempts: number;
      readonly initialBackoffMs: number;
      readonly factor: number;
      readonly maxBackoffMs: number;
    };
  };
  readonly guest: {
    readonly sandbox: 'docker' | 'gvisor' | 'none';
    /** Present with every sandbox except `none`. */
    readonly container?: ContainerConfig;
    /** Which runs share a guest: all runs of a language, those of a thread, or none. */
    readonly isolation: 'shared' | 'thread' | 'run';
    /** How long the guest of a thread waits for its next run. */
    readonly threadIdleMs: number;
    /** For agents in a sandbox. */
    readonly network: {
      readonly mode: 'none' | 'egress' | 'host';
      /** With `egress`, the only allowed hosts; absent: every public one. */
      readonly allow?: readonly EgressRule[];
    };
    readonly interpreter?: string;
    /** The user's own environment without SERVICE_*: the base of the guests' environment. */
    readonly userEnvironment: Readonly<Record<string, string>>;
    /** Variables of the env files: they override the manifest's `env`. */
    readonly environment: Readonly<Record<string, string>>;
    readonly reload: boolean;
    /** Types that are allowed when stored values are loaded, in addition to the known ones. */
    readonly allowedTypes: readonly string[];
    /** A guest that sends no sign of life for this long is killed. */
    readonly stuckAfterMs: number;
    readonly checkpointMaxSize: number;
    /** Absent: no debugger is attached at the start. */
    readonly debug?: {
      readonly provider: DebugProvider;
      readonly port: number;
      readonly options: Readonly<Record<string, string>>;
    };
    /** Absent: guests are plain processes. */
    readonly images?: ImageConfig;
  };
  readonly authz: {
    /** Policies are not evaluated (development only). */
    readonly isEverythingAllowed: boolean;
    /** Each is a policy domain. Empty: everything is permitted. */
    readonly policyFiles: readonly string[];
  };
  /** Absent: the key-value store is switched off. */
  readonly store?: StoreConfig;
  /** Absent: no run is recorded. */
  readonly history?: HistoryConfig;
  readonly webhooks: WebhookConfig;
  readonly log: {
    readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
    readonly format: 'plain' | 'json';
    readonly isAccessPretty: boolean;
  };
  readonly metrics: {
    /** A separate listener; absent: metrics are served on the API's only. */
    readonly listenAddress?: Readonly<ListenAddress>;
  };
  /** Absent: tracing is off. */
  readonly telemetry?: TelemetryConfig;
  readonly shutdownTimeoutMs: number;
}
