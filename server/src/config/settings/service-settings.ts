import {
  byteSize,
  duration,
  durationWithin,
  list,
  listenAddress,
  oneOf,
  text,
  toggle,
} from '../notation.ts';
import type { Setting } from './setting.ts';

/**
 * Settings of traces. The OpenTelemetry variables are equivalent; its other variables (headers, sampler, batches) apply
 * too.
 */
export const telemetrySettings = {
  'telemetry.otlp_endpoint': {
    schema: text().optional(),
    standardVariable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    description:
      'Switches traces on: the collector that takes them, OTLP over HTTP in JSON, at `/v1/traces` below this URL.',
  },
  'telemetry.otlp_traces_endpoint': {
    schema: text().optional(),
    standardVariable: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    description: 'The same with the whole URL.',
  },
  'telemetry.service_name': {
    schema: text().optional(),
    standardVariable: 'OTEL_SERVICE_NAME',
    description: 'Name of this service in traces. Default: `agent-runtime`.',
  },
} satisfies Record<string, Setting>;

/** Settings of webhooks. */
export const webhookSettings = {
  'webhooks.allow': {
    schema: list().optional(),
    description:
      'The only hosts that webhooks of runs may go to, comma-separated, as in `guest.egress_allow`: `hooks.example.com`, `*.example.com`, `10.0.0.5:8080`, `*:443`. Private, loopback and link-local addresses only where an entry names them, or the host. Default: every public host.',
  },
  'webhooks.secret': {
    schema: text().optional(),
    isSecret: true,
    description:
      'Signs webhooks with HMAC-SHA256, as [Standard Webhooks](https://www.standardwebhooks.com) does: the key, or `whsec_` and the key in base64. Default: they are not signed.',
  },
} satisfies Record<string, Setting>;

/** Settings of the run history. */
export const historySettings = {
  'history.provider': {
    schema: oneOf(['sqlite', 'postgresql', 'off']).prefault('sqlite'),
    description:
      'Where the record of every run is kept: `sqlite` (a file in the data directory), `postgresql`, or `off`.',
  },
  'history.sqlite.db_path': {
    schema: text().optional(),
    isPath: true,
    description: "The history's SQLite file. Default: `history.db` in `data_dir`.",
  },
  'history.postgresql.connection_string': {
    schema: text().optional(),
    isSecret: true,
    description:
      'Connection URI of the PostgreSQL history, `postgresql://user:password@host/database`. Its TLS is that of the URI: `sslmode`, `sslrootcert`.',
  },
  'history.record': {
    schema: oneOf(['full', 'metadata', 'off']).prefault('full'),
    description:
      '`metadata`: only times, status, names and tokens, neither inputs, outputs, messages nor log lines. `off`: as `history.provider` `off`.',
  },
  'history.retention': {
    schema: durationWithin('1m', '87600h').prefault('168h'),
    description: 'Runs whose last activity is older are removed from the history.',
  },
  'history.max_bytes': {
    schema: byteSize().prefault('2GB'),
    description: 'Above this size the oldest runs are removed from the history.',
  },
  'history.redact': {
    schema: list().prefault(''),
    description:
      'JSON paths, comma-separated, of what is replaced by `[redacted]` before it is recorded: `$..password`. Each applies to every input, output and metadata of a run, of a node, and of a call.',
  },
  'history.prices': {
    schema: text().optional(),
    isPath: true,
    description:
      'YAML or JSON file with the prices of models, from which costs are computed: a list of `{model, input, output, cached_input}`, for a million tokens.',
  },
} satisfies Record<string, Setting>;

/** Settings of the service around the engine and the guests. */
export const serviceSettings = {
  data_dir: {
    schema: text().optional(),
    flag: { name: 'data-dir', value: '<folder>' },
    isPath: true,
    description:
      'Folder for the engine database and the lock. Default: one per agent folder in the user data directory.',
  },
  cache_dir: {
    schema: text().optional(),
    isPath: true,
    description:
      'Folder for what can be had again, such as downloaded packages. Default: in the user cache directory.',
  },
  shutdown_timeout: {
    schema: duration().prefault('5m'),
    description: 'How long a stop waits for runs in flight.',
  },
  'license.key': {
    schema: text().optional(),
    isSecret: true,
    description: 'The licence key.',
  },
  'api.listen_addr': {
    schema: listenAddress().prefault(':8090'),
    flag: { name: 'api-addr', value: '<host:port>' },
    description: 'HTTP listen address; `:port` is every interface.',
  },
  'api.max_body_bytes': {
    schema: byteSize().optional(),
    description:
      'Largest request body. Default: twice `engine.max_checkpoint_bytes`, at least 8 MiB.',
  },
  'api.studio': {
    schema: toggle().prefault(true),
    flag: { name: 'studio' },
    description: 'Serve the studio under `/studio/`; `--no-studio` switches it off.',
  },
  'api.allowed_hosts': {
    schema: list().prefault(''),
    description:
      'Names, comma-separated, that the Host header may have beside `localhost` and, unless the service listens on loopback only, IP addresses. Without any, every name passes where callers are authenticated.',
  },
  'api.cors.allowed_origins': {
    schema: list().prefault(''),
    description: 'Origins whose pages may call the API, comma-separated; `*` is every one.',
  },
  'api.service_token': {
    schema: text().optional(),
    isSecret: true,
    description:
      'For applications that start the service for themselves: every request but health probes must carry it in `X-Service-Token`, beside its credentials.',
  },
  'api.tls.enabled': {
    schema: toggle().prefault(false),
    description: 'Serve HTTPS.',
  },
  'api.tls.auto_cert': {
    schema: toggle().prefault(false),
    description: 'Make a self-signed certificate for this machine (development only).',
  },
  'api.tls.cert_file': {
    schema: text().optional(),
    isPath: true,
    description: 'Certificate, PEM.',
  },
  'api.tls.key_file': {
    schema: text().optional(),
    isPath: true,
    description: 'Private key of the certificate, PEM.',
  },
  'api.tls.client_ca_file': {
    schema: text().optional(),
    isPath: true,
    description: 'CA of client certificates, PEM.',
  },
  'api.tls.client_auth': {
    schema: oneOf(['none', 'request', 'require', 'verify_if_given', 'require_and_verify']).prefault(
      'none',
    ),
    description:
      'What is asked of client certificates: `none`, `request` (nothing is checked), `require` (any will do), `verify_if_given`, `require_and_verify`.',
  },
  'api.auth.enabled': {
    schema: toggle().prefault(false),
    description: 'Ask every request for a JWT.',
  },
  'api.auth.oidc_issuer': {
    schema: text().optional(),
    description: 'Issuer URL of the tokens.',
  },
  'api.auth.oidc_audience': {
    schema: text().optional(),
    description: 'Audience of the tokens.',
  },
  'api.auth.test_mode': {
    schema: toggle().prefault(false),
    description: 'Take the principal from the header X-Test-Principal.',
  },
  'authz.type': {
    schema: oneOf(['embedded', 'allowall']).prefault('embedded'),
    description: '`allowall` skips all policy evaluation (development only).',
  },
  'authz.embedded.policy_domain_files': {
    schema: list().prefault(''),
    flag: { name: 'policy', value: '<files>' },
    isPath: true,
    description:
      'Policy domain YAML files, comma-separated; the last occurrence of the flag counts.',
  },
  'store.provider': {
    schema: oneOf(['sqlite', 'postgresql']).optional(),
    description: 'Switches the key-value store on: `sqlite` (one machine) or `postgresql`.',
  },
  'store.sqlite.db_path': {
    schema: text().optional(),
    isPath: true,
    description:
      "The store's SQLite file. Default: `store.db` in `data_dir` or `cache_dir` where one is set, otherwise in the user cache directory.",
  },
  'store.postgresql.connection_string': {
    schema: text().optional(),
    isSecret: true,
    description:
      'Connection URI of the PostgreSQL store, `postgresql://user:password@host/database`.',
  },
  'store.postgresql.tls_mode': {
    schema: oneOf(['disable', 'require', 'verify-ca', 'verify-full']).optional(),
    description:
      "TLS of the PostgreSQL store. `require` encrypts, `verify-ca` asks for a trusted certificate as well, `verify-full` for the host's name in it. Default: `sslmode` of the connection URI, otherwise `disable` on this machine and `verify-full` elsewhere.",
  },
  'store.postgresql.tls_ca_file': {
    schema: text().optional(),
    isPath: true,
    description:
      "CA of the PostgreSQL server's certificate, PEM file. Default: `sslrootcert` of the connection URI, otherwise the CAs that Node trusts.",
  },
  'stream.provider': {
    schema: oneOf(['memory', 'redis']).prefault('memory'),
    awaits: 'the Redis stream log',
    description: 'Where stream events are kept.',
  },
  'log.level': {
    schema: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'silent']).prefault('info'),
    description: 'Least severe log lines that are written.',
  },
  'log.format': {
    schema: oneOf(['plain', 'json']).prefault('plain'),
    description: 'Form of the log lines.',
  },
  'log.access_pretty_print': {
    schema: toggle().prefault(false),
    flag: { name: 'access-log-pretty-print' },
    description: 'Access lines and decisions of policies as indented multi-line JSON.',
  },
  'metrics.listen_addr': {
    schema: listenAddress().optional(),
    description:
      'A listener of their own for metrics, without authentication. `GET /metrics` of the API stays.',
  },
  'tls.allow_insecure': {
    schema: toggle().prefault(false),
    description: 'Allow `--registry-insecure`.',
  },
} satisfies Record<string, Setting>;
