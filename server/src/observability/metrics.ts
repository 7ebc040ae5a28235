import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** A counter, as rooms use it. */
export interface CounterPort<L extends string> {
  inc(labels: Record<L, string>, value?: number): void;
}

/** A counter without tags. */
export interface PlainCounterPort {
  inc(value?: number): void;
}

/** A histogram, as rooms use it. */
export interface HistogramPort<L extends string> {
  observe(labels: Record<L, string>, value: number): void;
}

/** Values that are read at each scrape. */
export interface MetricReadings {
  activeRuns(): number;
  streamLogBytes(): number;
  /** Of the disk of the data directory; undefined when it is not monitored. */
  freeDiskBytes?(): number | undefined;
  guests: {
    counts(): readonly { language: string; state: string; count: number }[];
    /** Of all guests of a language, including the processes in their sandboxes. */
    usage(): readonly { language: string; memoryBytes: number; cpuSeconds: number }[];
    /** Guests killed because they sent no sign of life, by language. */
    readonly stuck: ReadonlyMap<string, number>;
    readonly outputDropped: ReadonlyMap<string, number>;
  };
}

/** All metrics of one service. The first six are those of the specification (Events, Metrics). */
export interface Metrics {
  /** Counts every rejected call. `limit` as in docs/limits.md. */
  sizeLimitRejections: CounterPort<'limit' | 'operation'>;
  canPayloadBudgetExceeded: PlainCounterPort;
  /** Bytes of pending writes that were moved to the next execution. */
  canPendingWritesRetainedBytes: PlainCounterPort;
  /** Run outputs that a compaction removed. */
  canMessagesValuesShed: PlainCounterPort;
  queryPayloadLimitExceeded: CounterPort<'query'>;
  /** Bytes of one payload. `operation`: put, get, delete. */
  checkpointStoragePayloadBytes: HistogramPort<'operation'>;

  /** `trigger`: idle, active. */
  canTotal: CounterPort<'trigger'>;
  canPayloadBytes: HistogramPort<'trigger'>;
  /** `shed`: pending_writes, outputs, old_checkpoints, old_runs, open_writes. */
  canShed: CounterPort<'shed'>;
  httpRequests: CounterPort<'method' | 'route' | 'status'>;
  httpDurationSeconds: HistogramPort<'method' | 'route' | 'status'>;
  runsStarted: CounterPort<'agent'>;
  runsSettled: CounterPort<'status'>;
  /** Runs that may begin within the workflow task that accepts them. `outcome`: ended, continues, not_begun. */
  shortRuns: CounterPort<'outcome'>;
  /** Imports of bundles that were refused because the maximum number was running. */
  importsRefused: PlainCounterPort;
  /** Items of the store removed after they had expired. */
  storeItemsExpired: PlainCounterPort;
  /** Tries of webhooks. `outcome`: delivered, failed, given_up, dropped. */
  webhookTries: CounterPort<'outcome'>;
  /** Times of crons. `outcome`: made, failed, retried. */
  cronFirings: CounterPort<'outcome'>;
  /** Events of traces that were not recorded because too many waited to be written. */
  historyEventsDropped: PlainCounterPort;
  /** Runs that left the history by its age or size. */
  historyRunsRemoved: PlainCounterPort;
  /** Requests refused because the disk of the data directory is full. */
  diskFullRefusals: CounterPort<'operation'>;
  sseReaders: { inc(): void; dec(): void };
  /** Threads that can evaluate policies. */
  policyThreads: { inc(): void; dec(): void };
  /** Duration of the policy evaluations of one decision, including waiting. */
  policyEvaluation: HistogramPort<never>;
  /** Evaluations that failed as a whole. `reason`: time, crash, queue, wait, input, closed. */
  policyFailures: CounterPort<'reason'>;
  /** Reloads of policy files. `result`: ok, or failed, where the previous policies stay. */
  policyReloads: CounterPort<'result'>;
  /** Decisions that were not written to the access log. */
  accessRecordsLost: PlainCounterPort;

  /** Denied connections of agents in sandboxes. `reason`: not_allowed, private_address. */
  egressDenied: CounterPort<'reason'>;
  /** `limit`: connections, header_bytes, header_time, connect_time, idle_time. */
  egressLimits: CounterPort<'limit'>;
  /** `direction`: in (to the agents), out. */
  egressBytes: CounterPort<'direction'>;
  egressConnections: { inc(): void; dec(): void };

  /** Sets the source of the gauges; until then they are absent. */
  readFrom(readings: MetricReadings): void;
  /** All metrics in Prometheus text format. */
  text(): Promise<string>;
  contentType: string;
  /** Stops monitoring the event loop. */
  close(): void;
}

/** The metrics that the HTTP side updates and exposes. */
export type HttpMetrics = Pick<
  Metrics,
  'httpRequests' | 'httpDurationSeconds' | 'sseReaders' | 'text' | 'contentType'
>;

const SIZES = [1e3, 1e4, 65_536, 262_144, 1_048_576, 2_097_152, 4_194_304, 8_388_608, 25_165_824];
const SHORT_SECONDS = [0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5];
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600];

/** The metrics of one service, in a separate registry. */
export function createMetrics(options: { version: string }): Metrics {
  const registry = new Registry();
  const registers = [registry];

  function counter<L extends string>(name: string, help: string, labelNames: L[]) {
    return new Counter({ name, help, labelNames, registers });
  }
  function histogram<L extends string>(
    name: string,
    help: string,
    labelNames: L[],
    buckets: number[],
  ) {
    return new Histogram({ name, help, labelNames, buckets, registers });
  }
  function gauge<L extends string = never>(name: string, help: string, labelNames: L[] = []) {
    return new Gauge({ name, help, labelNames, registers });
  }

  const loop = monitorEventLoopDelay({ resolution: 20 });
  loop.enable();
  gauge('service_build_info', 'Version of the service.', ['version']).set(options, 1);
  const sseReaders = gauge('service_sse_readers', 'Open event streams.');
  sseReaders.set(0);
  const policyThreads = gauge('service_policy_threads', 'Threads that can evaluate policies.');
  policyThreads.set(0);
  const egressConnections = gauge('service_egress_connections', 'Connections of agents.');
  egressConnections.set(0);
  const refresh = [processReadings(gauge), loopReadings(gauge, loop)];

  return {
    sizeLimitRejections: counter(
      'service_size_limit_rejections_total',
      'Calls refused because something was over its size limit.',
      ['limit', 'operation'],
    ),
    canPayloadBudgetExceeded: counter(
      'service_can_payload_budget_exceeded_total',
      'Threads that did not fit into a next execution after shedding.',
      [],
    ),
    canPendingWritesRetainedBytes: counter(
      'service_can_pending_writes_retained_bytes_total',
      'Bytes of pending writes taken into next executions.',
      [],
    ),
    canMessagesValuesShed: counter(
      'service_can_messages_values_shed_total',
      'Run outputs shed so that a thread fits into a next execution.',
      [],
    ),
    queryPayloadLimitExceeded: counter(
      'service_query_payload_limit_exceeded_total',
      'Reads that the engine refused because the answer was too large.',
      ['query'],
    ),
    checkpointStoragePayloadBytes: histogram(
      'service_checkpoint_storage_payload_bytes',
      'Payloads in the external checkpoint storage.',
      ['operation'],
      SIZES,
    ),
    canTotal: counter('service_can_total', 'Next executions of threads.', ['trigger']),
    canPayloadBytes: histogram(
      'service_can_payload_bytes',
      'Continue-as-new payloads.',
      ['trigger'],
      SIZES,
    ),
    canShed: counter('service_can_shed_total', 'Compactions that had to shed.', ['shed']),
    httpRequests: counter('service_http_requests_total', 'Requests by route template.', [
      'method',
      'route',
      'status',
    ]),
    httpDurationSeconds: histogram(
      'service_http_request_duration_seconds',
      'Time to the end of the answer.',
      ['method', 'route', 'status'],
      SECONDS,
    ),
    runsStarted: counter('service_runs_started_total', 'Runs accepted.', ['agent']),
    runsSettled: counter('service_runs_settled_total', 'Runs that ended here.', ['status']),
    shortRuns: counter(
      'service_short_runs_total',
      'Runs within the workflow task that accepts them.',
      ['outcome'],
    ),
    importsRefused: counter(
      'service_imports_refused_total',
      'Bundles refused because too many were being imported.',
      [],
    ),
    storeItemsExpired: counter(
      'service_store_items_expired_total',
      'Items of the store removed after they had expired.',
      [],
    ),
    webhookTries: counter(
      'service_webhook_tries_total',
      'Webhooks that were delivered, failed for now, given up, or dropped because their run never was.',
      ['outcome'],
    ),
    cronFirings: counter(
      'service_cron_firings_total',
      'Times of crons: a run was made, it failed, or is tried again.',
      ['outcome'],
    ),
    historyEventsDropped: counter(
      'service_history_events_dropped_total',
      'Events of traces that were not recorded because too many waited to be written.',
      [],
    ),
    historyRunsRemoved: counter(
      'service_history_runs_removed_total',
      'Runs that left the history by its age or size.',
      [],
    ),
    diskFullRefusals: counter(
      'service_disk_full_refusals_total',
      'Requests refused because the disk of the data directory is full.',
      ['operation'],
    ),
    sseReaders,
    policyThreads,
    policyEvaluation: histogram(
      'service_policy_evaluation_seconds',
      'Evaluation of the policies of one decision, waiting included.',
      [],
      SHORT_SECONDS,
    ),
    policyFailures: counter(
      'service_policy_failures_total',
      'Decisions whose policies could not be evaluated.',
      ['reason'],
    ),
    policyReloads: counter('service_policy_reloads_total', 'Policy files read again.', ['result']),
    accessRecordsLost: counter(
      'service_access_records_lost_total',
      'Decisions without a line in the access log.',
      [],
    ),
    egressDenied: counter(
      'service_egress_denied_total',
      'Connections that agents in sandboxes were denied.',
      ['reason'],
    ),
    egressLimits: counter(
      'service_egress_limits_total',
      'Connections of agents in sandboxes that ran into a limit.',
      ['limit'],
    ),
    egressBytes: counter(
      'service_egress_bytes_total',
      'Bytes of closed connections of agents in sandboxes.',
      ['direction'],
    ),
    egressConnections,

    readFrom(readings) {
      refresh.push(serviceReadings(gauge, counter, readings));
    },
    async text() {
      for (const read of refresh) read();
      return registry.metrics();
    },
    contentType: registry.contentType,
    close() {
      loop.disable();
      registry.clear();
    },
  };
}

type MakeGauge = <L extends string = never>(name: string, help: string, labels?: L[]) => Gauge<L>;

type MakeCounter = <L extends string>(name: string, help: string, labels: L[]) => Counter<L>;

function serviceReadings(
  gauge: MakeGauge,
  counter: MakeCounter,
  readings: MetricReadings,
): () => void {
  const activeRuns = gauge('service_runs_active', 'Runs in this process.');
  const streamLog = gauge('service_stream_log_bytes', 'Events kept in memory.');
  const guests = gauge('service_guests', 'Guest processes.', ['language', 'state']);
  const memory = gauge('service_guest_memory_bytes', 'Memory of guests, with their sandboxes.', [
    'language',
  ]);
  const cpu = gauge(
    'service_guest_cpu_seconds',
    'CPU time of the guests that there are, with their sandboxes.',
    ['language'],
  );
  const stuck = counter('service_guests_stuck_total', 'Guests killed without a sign of life.', [
    'language',
  ]);
  const dropped = counter(
    'service_guest_output_dropped_bytes_total',
    'Output of agents beyond what is kept of a guest.',
    ['language'],
  );
  const freeDisk = gauge('service_disk_free_bytes', 'Free on the disk of the data directory.');
  return () => {
    freeDisk.reset();
    const freeBytes = readings.freeDiskBytes?.();
    if (freeBytes !== undefined) freeDisk.set(freeBytes);
    activeRuns.set(readings.activeRuns());
    streamLog.set(readings.streamLogBytes());
    guests.reset();
    for (const { count, ...labels } of readings.guests.counts()) guests.inc(labels, count);
    memory.reset();
    cpu.reset();
    for (const { language, memoryBytes, cpuSeconds } of readings.guests.usage()) {
      memory.set({ language }, memoryBytes);
      cpu.set({ language }, cpuSeconds);
    }
    dropped.reset();
    for (const [language, bytes] of readings.guests.outputDropped) {
      dropped.inc({ language }, bytes);
    }
    stuck.reset();
    for (const [language, count] of readings.guests.stuck) stuck.inc({ language }, count);
  };
}

function processReadings(gauge: MakeGauge): () => void {
  const cpu = gauge('process_cpu_seconds_total', 'User and system CPU time.');
  const resident = gauge('process_resident_memory_bytes', 'Resident memory.');
  const heap = gauge('nodejs_heap_size_used_bytes', 'Heap in use.');
  const external = gauge('nodejs_external_memory_bytes', 'Buffers outside of the heap.');
  gauge('process_start_time_seconds', 'Start of the process.').set(
    Math.round(performance.timeOrigin / 1_000),
  );
  return () => {
    const { user, system } = process.cpuUsage();
    const memory = process.memoryUsage();
    cpu.set((user + system) / 1e6);
    resident.set(memory.rss);
    heap.set(memory.heapUsed);
    external.set(memory.external);
  };
}

function loopReadings(
  gauge: MakeGauge,
  loop: ReturnType<typeof monitorEventLoopDelay>,
): () => void {
  const delay = gauge('nodejs_eventloop_lag_seconds', 'Delay since the last reading.', [
    'quantile',
  ]);
  return () => {
    delay.set({ quantile: '0.5' }, loop.percentile(50) / 1e9);
    delay.set({ quantile: '0.99' }, loop.percentile(99) / 1e9);
    delay.set({ quantile: '1' }, loop.max / 1e9);
    loop.reset();
  };
}
