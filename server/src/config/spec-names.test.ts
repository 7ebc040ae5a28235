import { describe, expect, it } from 'vitest';
import { variableOf } from './settings/setting.ts';
import { settingEntries } from './settings/settings.ts';

/** Spec: Command-line server, options of `serve`: flag and variable, null where the table has none. */
const serveOptions: [string, string | null][] = [
  ['access-log-pretty-print', null],
  ['api-addr', 'SERVICE_API_LISTEN_ADDR'],
  ['bundle-mcp-tools', null],
  ['cpu', 'SERVICE_GUEST_CPU_LIMIT'],
  ['debug', 'SERVICE_GUEST_DEBUG_ENABLED'],
  ['debug-opt', 'SERVICE_GUEST_DEBUG_PROVIDER_OPTIONS'],
  ['debug-port', 'SERVICE_GUEST_DEBUG_PORT'],
  ['debug-provider', 'SERVICE_GUEST_DEBUG_PROVIDER'],
  ['env-files', 'SERVICE_GUEST_ENVIRONMENT_FILES'],
  ['guest-image', null],
  ['image', null],
  ['interpreter', null],
  ['mcp-tools-image', null],
  ['memory', 'SERVICE_GUEST_MEMORY_LIMIT'],
  ['policy', 'SERVICE_AUTHZ_EMBEDDED_POLICY_DOMAIN_FILES'],
  ['registry-ca-data', null],
  ['registry-ca-file', null],
  ['registry-insecure', null],
  ['rootless', 'SERVICE_GUEST_ROOTLESS'],
  ['sandbox', 'SERVICE_GUEST_SANDBOX'],
  // The flags of the engine: decisions, "engine options".
  ['temporal-api-key', 'SERVICE_ENGINE_AUTH_API_KEY'],
  ['temporal-auth-type', 'SERVICE_ENGINE_AUTH_TYPE'],
  ['temporal-mtls-ca-file', 'SERVICE_ENGINE_AUTH_MTLS_CA_FILE'],
  ['temporal-mtls-ca-data', 'SERVICE_ENGINE_AUTH_MTLS_CA_DATA'],
  ['temporal-mtls-cert-file', 'SERVICE_ENGINE_AUTH_MTLS_CERT_FILE'],
  ['temporal-mtls-cert-data', 'SERVICE_ENGINE_AUTH_MTLS_CERT_DATA'],
  ['temporal-mtls-key-file', 'SERVICE_ENGINE_AUTH_MTLS_KEY_FILE'],
  ['temporal-mtls-key-data', 'SERVICE_ENGINE_AUTH_MTLS_KEY_DATA'],
  ['temporal-server-name', 'SERVICE_ENGINE_AUTH_MTLS_SERVER_NAME'],
  ['temporal-namespace', 'SERVICE_ENGINE_NAMESPACE'],
  ['temporal-target', 'SERVICE_ENGINE_TARGET'],
  ['temporal-task-queue', 'SERVICE_ENGINE_TASK_QUEUE'],
];

/** Variables that the specification names elsewhere. */
const otherVariables = [
  'SERVICE_API_AUTH_TEST_MODE',
  'SERVICE_AUTHZ_TYPE',
  'SERVICE_ENGINE_MAX_CHECKPOINT_HISTORY',
  'SERVICE_GUEST_CHECKPOINT_MAX_SIZE',
  'SERVICE_LICENSE_KEY',
  'SERVICE_LOG_FORMAT',
  'SERVICE_LOG_LEVEL',
  'SERVICE_STORE_POSTGRESQL_CONNECTION_STRING',
  'SERVICE_STORE_POSTGRESQL_TLS_MODE',
  'SERVICE_STORE_PROVIDER',
  'SERVICE_STORE_SQLITE_DB_PATH',
  'SERVICE_TLS_ALLOW_INSECURE',
];

describe('the names of the specification', () => {
  it.each(serveOptions)('--%s, variable %s', (flag, variable) => {
    const [key] = settingEntries().find(([, setting]) => setting.flag?.name === flag) ?? [];
    const named = variable === null ? null : variableOf(key ?? '');
    expect({ isThere: key !== undefined, named }).toEqual({ isThere: true, named: variable });
  });

  it.each(otherVariables)('%s', (variable) => {
    expect(settingEntries().map(([key]) => variableOf(key))).toContain(variable);
  });

  it('of the engine are taken under --engine- too', () => {
    for (const [flag] of serveOptions.filter(([name]) => name.startsWith('temporal-'))) {
      const [, setting] = settingEntries().find(([, one]) => one.flag?.name === flag) ?? [];
      expect(setting?.flag?.alias).toBe(flag.replace('temporal-', 'engine-'));
    }
  });
});
