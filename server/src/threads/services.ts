/*
 * What the API does: one service for each resource. Each asks the policy, calls the engine, the stream log or the
 * store, and knows nothing of HTTP or Temporal.
 */
import type { AssistantsPort } from '../assistants/port.ts';
import type { CronsPort } from '../crons/port.ts';
import type { Engine } from '../engine/engine.ts';
import type { HistoryReads, WrittenRunsPort } from '../history/port.ts';
import type { StoreTtlSettings } from '../model/store/store-settings.ts';
import { createPolicyInsight, noPolicies, type PolicyInsight } from '../policy/insight.ts';
import { DecisionMemory } from '../policy/log/decision-memory.ts';
import type { PolicyPort } from '../policy/port.ts';
import type { StorePort } from '../store/port.ts';
import type { StreamPort } from '../streams/port.ts';
import { AgentService } from './agent-service.ts';
import type {
  AgentDescriptionPort,
  AgentsPort,
  AgentVersionPort,
  ModelCallPort,
  RunOutputPort,
  RunSandboxPort,
} from './ports.ts';
import { AssistantService } from './assistant-service.ts';
import { type BundlePort, BundleService } from './bundle-service.ts';
import { CronService } from './cron-service.ts';
import { HistoryService } from './history-service.ts';
import { type CallPrices, ModelCallService } from './model-call-service.ts';
import type { HistoryRecorderPort } from './run-service.ts';
import { PolicyService } from './policy-service.ts';
import { RunFollower } from './run-follower.ts';
import { RunService } from './run-service.ts';
import { type StateReadPort, StateService, type StateUpdatePort } from './state-service.ts';
import type { StoreIndex } from './store-index.ts';
import { StoreService } from './store-service.ts';
import { type WebhookPorts, WebhookService } from './webhook-service.ts';
import { ThreadService } from './thread-service.ts';

/** The history, written to and read. */
interface HistoryPorts {
  reads: HistoryReads;
  recorder: HistoryRecorderPort;
  written: WrittenRunsPort;
}

/** The ports that the services use. */
export interface ServicePorts {
  engine: Engine;
  policy: PolicyPort;
  /** Absent: there are no policies to inspect. */
  insight?: PolicyInsight;
  /** Every caller chooses its own identity (`api.auth.test_mode`). Absent: false. */
  isTestMode?: boolean;
  agents: AgentsPort;
  assistants: AssistantsPort;
  crons: CronsPort;
  webhooks: WebhookPorts;
  descriptions: AgentDescriptionPort;
  streams: StreamPort;
  output: RunOutputPort;
  /** Absent: runs do not report their sandbox. */
  runSandboxes?: RunSandboxPort;
  models: ModelCallPort;
  stateUpdates: StateUpdatePort;
  /** Absent: runs have no `agent_version`. */
  agentVersion?: AgentVersionPort;
  stateReads: StateReadPort;
  bundles: BundlePort;
  /** Absent: no run is recorded. */
  history?: (HistoryPorts & CallPrices) | undefined;
  /** Absent: the store is switched off. */
  store?: StorePort;
  /** Absent: items expire only when their put sets a time. */
  storeTtl?: () => StoreTtlSettings;
  /** Absent: there is no search by meaning. */
  storeIndex?: StoreIndex;
}

/** All services that requests can use. */
export interface Services {
  threads: ThreadService;
  runs: RunService;
  follower: RunFollower;
  states: StateService;
  agents: AgentService;
  assistants: AssistantService;
  crons: CronService;
  webhooks: WebhookService;
  store: StoreService;
  bundles: BundleService;
  history: HistoryService;
  modelCalls: ModelCallService;
  policies: PolicyService;
}

/** Makes every service over the same ports. */
export function createServices(ports: ServicePorts): Services {
  const insight = ports.insight ?? createPolicyInsight(noPolicies(), new DecisionMemory(0));
  const history = new HistoryService(ports);
  return {
    threads: new ThreadService(ports),
    runs: new RunService(ports),
    follower: new RunFollower(ports),
    states: new StateService(ports),
    agents: new AgentService(ports),
    assistants: new AssistantService(ports),
    crons: new CronService(ports),
    webhooks: new WebhookService(ports),
    store: new StoreService(ports),
    bundles: new BundleService(ports),
    history,
    modelCalls: new ModelCallService(ports, history),
    policies: new PolicyService({ ...ports, insight, isTestMode: ports.isTestMode === true }),
  };
}
