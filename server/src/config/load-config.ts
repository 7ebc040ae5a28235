import { realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ServiceError } from '../errors/service-error.ts';
import { apiAuth } from './api-auth.ts';
import { allowedHosts, allowedOrigins } from './listener.ts';
import { apiTls } from './api-tls.ts';
import { dataDirOf, folderHash, userCacheDir } from './data-dir.ts';
import { deriveLimits } from '../model/limits/limits.ts';
import { debugConfig } from './debug-config.ts';
import { readEnvironmentFiles } from './environment-files.ts';
import { engineAuth } from './engine-auth.ts';
import { externalStorageConfig } from './external-storage.ts';
import { guestNetwork } from './guest-network.ts';
import { imageConfig, type ImageConfig, imageIdentity, imageWarnings } from './image-config.ts';
import { nearestKey } from './config-file.ts';
import { type Environment, resolveSettings, type SettingSources } from './resolve-settings.ts';
import type { ServiceConfig } from './service-config.ts';
import { sandboxConfig } from './sandbox-config.ts';
import { sizeCeilings } from './size-ceilings.ts';
import { historyConfig } from './history-config.ts';
import { storeConfig } from './store-config.ts';
import { telemetryConfig } from './telemetry.ts';
import { webhookConfig } from './webhook-config.ts';
import { variableOf } from './settings/setting.ts';
import { settingEntries, type SettingKey, type SettingValues } from './settings/settings.ts';

export interface ConfigRequest extends SettingSources {
  /** The agent folder as the user wrote it; absent where an image may have the agents inside. */
  sourcePath?: string;
  /** The default agent folder. */
  fallbackPath?: string;
}

export interface LoadedConfig {
  config: ServiceConfig;
  /** Kept out of the configuration that is passed around. */
  licenseKey?: string;
  /** The settings that have a value from some source. */
  given: ReadonlySet<SettingKey>;
  /** Sentences to show before the start. */
  warnings: string[];
}

/** Spec: Limits, max checkpoint history. */
const CHECKPOINT_HISTORY = 1;

/** Clients of LangGraph Server fork and regenerate from earlier checkpoints. */
const COMPAT_CHECKPOINT_HISTORY = 50;

/** The folder of the agents within an image (decisions: Sandboxes, `--image`). */
const AGENTS_OF_IMAGE = '/agent';

/** The source of the agents, and the identity that distinguishes it from others. */
function findSource(
  { sourcePath, fallbackPath, workingDir }: ConfigRequest,
  images: ImageConfig | undefined,
): { sourceDir: string; identity: string } {
  if (images?.image !== undefined) {
    if (sourcePath === undefined)
      return { sourceDir: AGENTS_OF_IMAGE, identity: imageIdentity(images.image) };
    throw new ServiceError(
      'config_invalid',
      `The agent folder ${sourcePath} and the image ${images.image} exclude each other: the image has the agents inside.`,
    );
  }
  const named = sourcePath ?? fallbackPath;
  if (named === undefined) {
    const sentence = 'Name an agent folder, or an image with the agents inside by --image.';
    throw new ServiceError('config_invalid', sentence);
  }
  const sourceDir = findSourceDir(named, workingDir);
  return { sourceDir, identity: sourceDir };
}

function findSourceDir(path: string, workingDir: string): string {
  const absolute = resolve(workingDir, path);
  let help = '';
  try {
    if (statSync(absolute).isDirectory()) return realpathSync(absolute);
    help = ` It is a file: name its folder, ${dirname(absolute)}.`;
  } catch {
    // The folder does not exist or cannot be read.
  }
  throw new ServiceError('config_invalid', `There is no agent folder ${path}.${help}`);
}

function userEnvironment(environment: Environment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && !name.startsWith('SERVICE_')) kept[name] = value;
  }
  return kept;
}

/** Unknown variables with a prefix of this service are most likely misspelt. */
function unknownVariables(environment: Environment): string[] {
  const known = new Set(['SERVICE_CONFIG_FILE', 'SERVICE_GUEST_MARK']); // the second: an agent starts the service
  for (const [key, setting] of settingEntries()) {
    known.add(variableOf(key));
    if (setting.isSecret === true) known.add(`${variableOf(key)}_FILE`);
  }
  const sections =
    /^SERVICE_(?:API|AUTHZ|ENGINE|GUEST|HISTORY|STORE|STREAM|LOG|METRICS|TELEMETRY|LICENSE|WEBHOOKS)_/;
  return Object.keys(environment)
    .filter((name) => sections.test(name) && !known.has(name))
    .map((name) => `${name} is not a setting; did you mean ${nearestKey(name, known)}?`);
}

/** The configuration by flag > environment > file > default, frozen; `config_invalid` with one sentence otherwise. */
export function loadConfig(request: ConfigRequest): LoadedConfig {
  const { values, given } = resolveSettings(request);
  const debug = debugConfig(values, given, request.workingDir);
  const images = imageConfig(values, given);
  const sandbox = sandboxConfig(values, given);
  const { network, warnings: networkWarnings } = guestNetwork(values, given);
  const { sourceDir, identity } = findSource(request, images);
  const hasImage = images?.image !== undefined;
  const { externalStorage, warnings: storageWarnings } = externalStorageConfig(values);
  const ceilings = sizeCeilings(values, { isExternal: externalStorage !== undefined });
  const { maxCheckpointBytes, canPayloadBudgetBytes } = ceilings;
  const { environment } = request;
  const ofUser = userEnvironment(environment);
  const { 'engine.target': target, 'engine.binary': binary } = values;
  const { 'guest.interpreter': interpreter, 'metrics.listen_addr': metricsListenAddress } = values;
  const { auth, warnings: authWarnings } = apiAuth(values);
  const { store, warnings: storeWarnings } = storeConfig(values, environment);
  const dataDir = values.data_dir ?? dataDirOf(identity, environment);
  const history = historyConfig(values, dataDir);
  const { telemetry, warnings: telemetryWarnings } = telemetryConfig(values, given, environment);
  const tls = apiTls(values);
  const { 'api.service_token': serviceToken } = values;
  const engineCredentials = engineAuth(values, given);
  const origins = allowedOrigins(values['api.cors.allowed_origins']);
  const hosts = allowedHosts(values['api.allowed_hosts']);
  const config: ServiceConfig = {
    sourceDir,
    dataDir,
    cacheDir: values.cache_dir ?? userCacheDir(environment),
    api: {
      ...values['api.listen_addr'],
      maxBodyBytes: values['api.max_body_bytes'] ?? deriveLimits({ maxCheckpointBytes }).httpBody,
      isStudioServed: values['api.studio'],
      ...(auth === undefined ? {} : { auth }),
      ...(tls === undefined ? {} : { tls }),
      ...(hosts.length === 0 ? {} : { allowedHosts: hosts }),
      ...(origins.length === 0 ? {} : { allowedOrigins: origins }),
      ...(serviceToken === undefined ? {} : { serviceToken }),
    },
    engine: {
      ...(target === undefined ? {} : { target }),
      ...(binary === undefined ? {} : { binary }),
      ...(engineCredentials === undefined ? {} : { auth: engineCredentials }),
      namespace: values['engine.namespace'],
      taskQueue: values['engine.task_queue'] ?? `agent-runtime-${folderHash(identity)}`,
      maxCheckpointHistory: values['engine.max_checkpoint_history'] ?? CHECKPOINT_HISTORY,
      compatCheckpointHistory: values['engine.max_checkpoint_history'] ?? COMPAT_CHECKPOINT_HISTORY,
      maxCheckpointBytes,
      isCheckpointCeilingAutomatic: ceilings.isAutomatic,
      ...(canPayloadBudgetBytes === undefined ? {} : { canPayloadBudgetBytes }),
      ...(externalStorage === undefined ? {} : { externalStorage }),
      runRestart: {
        maxAttempts: values['engine.run_restart.max_attempts'],
        initialBackoffMs: values['engine.run_restart.initial_backoff'],
        factor: values['engine.run_restart.factor'],
        maxBackoffMs: values['engine.run_restart.max_backoff'],
      },
    },
    guest: {
      ...sandbox,
      isolation: values['guest.isolation'],
      threadIdleMs: values['guest.thread_idle'],
      network,
      ...(interpreter === undefined ? {} : { interpreter }),
      userEnvironment: ofUser,
      environment: readEnvironmentFiles(
        values['guest.environment_files'],
        hasImage ? undefined : sourceDir,
        { outer: ofUser, ...(sandbox.sandbox !== 'none' && sandbox.container) },
      ),
      reload: values['guest.reload'] && !hasImage,
      allowedTypes: values['guest.allowed_types'],
      stuckAfterMs: values['guest.stuck_after'],
      checkpointMaxSize: values['guest.checkpoint_max_size'],
      ...(debug === undefined ? {} : { debug }),
      ...(images === undefined ? {} : { images }),
    },
    authz: authzConfig(values, given),
    ...(store === undefined ? {} : { store }),
    ...(history === undefined ? {} : { history }),
    webhooks: webhookConfig(values, given),
    log: {
      level: values['log.level'],
      format: values['log.format'],
      isAccessPretty: values['log.access_pretty_print'],
    },
    metrics: metricsListenAddress === undefined ? {} : { listenAddress: metricsListenAddress },
    ...(telemetry === undefined ? {} : { telemetry }),
    shutdownTimeoutMs: values.shutdown_timeout,
  };

  const warnings = [
    ...ceilings.warnings,
    ...storageWarnings,
    ...unknownVariables(environment),
    // With an embedder's service token, only the embedder's own window calls the API.
    ...(auth?.kind === 'test' && serviceToken !== undefined ? [] : authWarnings),
    ...storeWarnings,
    ...telemetryWarnings,
    ...networkWarnings,
    ...imageWarnings(values, given),
  ];
  const licenseKey = values['license.key'];
  return {
    config: deepFreeze(config),
    warnings,
    given: new Set(given.keys()),
    ...(licenseKey === undefined ? {} : { licenseKey }),
  };
}

/** The policies to evaluate. Without files everything is permitted, so an empty list is an error. */
function authzConfig(
  values: SettingValues,
  given: ReadonlyMap<SettingKey, string>,
): ServiceConfig['authz'] {
  const key = 'authz.embedded.policy_domain_files';
  const { [key]: files } = values;
  const name = given.get(key);
  if (name !== undefined && files.length === 0) {
    const message = `${name} names no file: name one, or leave it out.`;
    throw new ServiceError('config_invalid', message);
  }
  const isEverythingAllowed = values['authz.type'] === 'allowall';
  return { isEverythingAllowed, policyFiles: isEverythingAllowed ? [] : files };
}

/** Freezes a plain object and all its parts. */
function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null) deepFreeze(part);
  }
  return Object.freeze(value);
}
