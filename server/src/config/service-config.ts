import type { EgressRule } from '../guest/egress/egress-rule.ts';
import type { ApiAuth } from './api-auth.ts';
import type { DebugProvider } from '../model/debugging.ts';
import type { ApiTls } from './api-tls.ts';
import type { EngineAuth } from './engine-auth.ts';
import type { ExternalStorageConfig } from './external-storage.ts';
import type { ImageConfig } from './image-config.ts';
import type { ListenAddress } from './api-hosts.ts';
import type { ContainerConfig } from './sandbox-config.ts';
import type { StoreConfig } from './store-config.ts';
import type { TelemetryConfig } from './telemetry.ts';

/** Everything the service is told from outside, parsed once and deeply frozen. */
export interface ServiceConfig {
  /** Real path of the agent folder. */
  readonly sourceDir: string;
  /** Holds the engine's database and the instance lock; may not exist yet. */
  readonly dataDir: string;
  /** Holds what can be had again, for all services of the user; may not exist yet. */
  readonly cacheDir: string;
  /** Without a host: every interface. */
  readonly api: Readonly<ListenAddress> & {
    readonly maxBodyBytes: number;
    readonly isStudioServed: boolean;
    /** Absent: everybody is anonymous. */
    readonly auth?: ApiAuth;
    /** Absent: plain HTTP. */
    readonly tls?: ApiTls;
    /** Names that the Host header may have, in lower case. Absent: none but those that always pass. */
    readonly allowedHosts?: readonly string[];
    /** Absent: pages of no origin. */
    readonly allowedOrigins?: readonly string[];
    /** Absent: no X-Service-Token is asked for. */
    readonly serviceToken?: string;
  };
  readonly engine: {
    /** Absent: the engine is provisioned. */
    readonly target?: string;
    /** The embedded engine program to start, instead of the one that is found. */
    readonly binary?: string;
    /** Absent: a plain connection without credentials. */
    readonly auth?: EngineAuth;
    readonly namespace: string;
    readonly taskQueue: string;
    readonly maxCheckpointHistory: number;
    /** The resolved ceiling, never 0. */
    readonly maxCheckpointBytes: number;
    /** Nobody chose it: a smaller payload of the engine lowers it. */
    readonly isCheckpointCeilingAutomatic: boolean;
    /** Overrides what follows from the ceiling. */
    readonly canPayloadBudgetBytes?: number;
    /** Absent: payloads lie within their threads. */
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
    /** Present with every sandbox but none. */
    readonly container?: ContainerConfig;
    /** Which runs share a guest: all of a language, those of a thread, or none. */
    readonly isolation: 'shared' | 'thread' | 'run';
    /** How long the guest of a thread waits for its next run. */
    readonly threadIdleMs: number;
    /** Of agents in a sandbox. */
    readonly network: {
      readonly mode: 'none' | 'egress' | 'host';
      /** With `egress`, the only hosts; absent: every public one. */
      readonly allow?: readonly EgressRule[];
    };
    readonly interpreter?: string;
    /** The user's own environment without SERVICE_*: what guests inherit first. */
    readonly userEnvironment: Readonly<Record<string, string>>;
    /** What the env files say: overrides the manifest's `env`. */
    readonly environment: Readonly<Record<string, string>>;
    readonly reload: boolean;
    /** Types that stored values may become, besides those that are known. */
    readonly allowedTypes: readonly string[];
    /** A guest that gives no sign of life for so long is killed. */
    readonly stuckAfterMs: number;
    readonly checkpointMaxSize: number;
    /** Absent: no debugger from the start. */
    readonly debug?: {
      readonly provider: DebugProvider;
      readonly port: number;
      readonly options: Readonly<Record<string, string>>;
    };
    /** Absent: guests are plain processes. */
    readonly images?: ImageConfig;
  };
  readonly authz: {
    /** Policies are not asked (development only). */
    readonly isEverythingAllowed: boolean;
    /** Each is a policy domain. Empty: everything is permitted. */
    readonly policyFiles: readonly string[];
  };
  /** Absent: the key-value store is switched off. */
  readonly store?: StoreConfig;
  readonly log: {
    readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
    readonly format: 'plain' | 'json';
    readonly isAccessPretty: boolean;
  };
  readonly metrics: {
    /** A listener of their own; absent: only on the API's. */
    readonly listenAddress?: Readonly<ListenAddress>;
  };
  /** Absent: nothing is traced. */
  readonly telemetry?: TelemetryConfig;
  readonly shutdownTimeoutMs: number;
}
