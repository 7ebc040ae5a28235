import { byteSize, decimal, duration, integer, oneOf, text, toggle } from '../notation.ts';
import type { Setting } from './setting.ts';

function engineFlag(name: string, value: string) {
  return { name: `temporal-${name}`, value, alias: `engine-${name}` };
}

/** Settings of the durable engine. */
export const engineSettings = {
  'engine.target': {
    schema: text().optional(),
    flag: engineFlag('target', '<host:port>'),
    description: 'A Temporal cluster to use instead of the embedded engine.',
  },
  'engine.binary': {
    schema: text().optional(),
    isPath: true,
    description:
      'The embedded engine program to start, instead of the one that is found. It must take `--mutual-tls`: its ports serve this service alone.',
  },
  'engine.namespace': {
    schema: text().prefault('default'),
    flag: engineFlag('namespace', '<name>'),
    description: 'Temporal namespace.',
  },
  'engine.task_queue': {
    schema: text().optional(),
    flag: engineFlag('task-queue', '<name>'),
    description: 'Temporal task queue. Default: `agent-runtime-<hash of the agent folder>`.',
  },
  'engine.auth.type': {
    schema: oneOf(['api_key', 'mtls']).optional(),
    flag: engineFlag('auth-type', '<type>'),
    description: 'How to authenticate to the engine: `api_key` or `mtls`.',
  },
  'engine.auth.api_key': {
    schema: text().optional(),
    flag: engineFlag('api-key', '<key>'),
    isSecret: true,
    description: 'API key for the engine.',
  },
  'engine.auth.mtls.ca_file': {
    schema: text().optional(),
    flag: engineFlag('mtls-ca-file', '<file>'),
    isPath: true,
    description: "CA of the engine's certificate, PEM file.",
  },
  'engine.auth.mtls.ca_data': {
    schema: text().optional(),
    flag: engineFlag('mtls-ca-data', '<base64>'),
    description: "CA of the engine's certificate, base64.",
  },
  'engine.auth.mtls.cert_file': {
    schema: text().optional(),
    flag: engineFlag('mtls-cert-file', '<file>'),
    isPath: true,
    description: 'Client certificate, PEM file.',
  },
  'engine.auth.mtls.cert_data': {
    schema: text().optional(),
    flag: engineFlag('mtls-cert-data', '<base64>'),
    description: 'Client certificate, base64.',
  },
  'engine.auth.mtls.key_file': {
    schema: text().optional(),
    flag: engineFlag('mtls-key-file', '<file>'),
    isPath: true,
    description: 'Key of the client certificate, PEM file.',
  },
  'engine.auth.mtls.key_data': {
    schema: text().optional(),
    flag: engineFlag('mtls-key-data', '<base64>'),
    isSecret: true,
    description: 'Key of the client certificate, base64.',
  },
  'engine.auth.mtls.server_name': {
    schema: text().optional(),
    flag: engineFlag('server-name', '<name>'),
    description: "Name expected in the engine's certificate.",
  },
  'engine.max_checkpoint_history': {
    schema: integer({ min: 1, max: 10_000 }).optional(),
    description:
      'Checkpoints retained per run and per checkpoint namespace. Default: 1; 50 for threads that a client of LangGraph Server makes.',
  },
  'engine.max_checkpoint_bytes': {
    schema: byteSize().prefault(0),
    description:
      'Largest checkpoint (see limits.md), pinned into a thread at its creation; 0 is automatic: 1 MiB, 8 MiB with external checkpoint storage. At most 24 MiB.',
  },
  'engine.can_payload_budget_bytes': {
    schema: byteSize().prefault(0),
    description:
      'Largest continue-as-new payload of a thread; 0 is automatic (see limits.md). Pinned as above.',
  },
  'engine.external_storage.type': {
    schema: oneOf(['directory', 's3']).optional(),
    description:
      'Keeps large payloads of checkpoints outside of the engine: `directory` or `s3`. Default: off.',
  },
  'engine.external_storage.threshold_bytes': {
    schema: byteSize().prefault('64KiB'),
    description: 'Payloads of at least this size go to the external checkpoint storage.',
  },
  'engine.external_storage.directory.path': {
    schema: text().optional(),
    isPath: true,
    description: 'Folder for the payloads. Default: `payloads` in the data directory.',
  },
  'engine.external_storage.s3.bucket': {
    schema: text().optional(),
    description:
      'Bucket for the payloads; it must exist. Credentials come from the usual AWS chain.',
  },
  'engine.external_storage.s3.prefix': {
    schema: text().optional(),
    description: 'Put before every key. One engine database has it for itself.',
  },
  'engine.external_storage.s3.region': {
    schema: text().prefault('us-east-1'),
    description: 'Region of the bucket.',
  },
  'engine.external_storage.s3.endpoint': {
    schema: text().optional(),
    description: 'URL of an S3 server other than that of the region.',
  },
  'engine.external_storage.s3.path_style': {
    schema: toggle().prefault(false),
    description: 'Address the bucket in the path, as most S3 servers other than Amazon need it.',
  },
  'engine.run_restart.max_attempts': {
    schema: integer({ min: 0, max: 1000 }).prefault(3),
    description: 'Restarts allowed after the first attempt of a run; 0 disables them.',
  },
  'engine.run_restart.initial_backoff': {
    schema: duration().prefault('1s'),
    description: 'Wait before the first restart.',
  },
  'engine.run_restart.factor': {
    schema: decimal({ min: 1 }).prefault(2),
    description: 'What the wait is multiplied with at every further restart.',
  },
  'engine.run_restart.max_backoff': {
    schema: duration().prefault('30s'),
    description: 'Longest wait before a restart.',
  },
} satisfies Record<string, Setting>;
