import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openApiWarning } from './open-api.ts';
import { loadConfig, type ConfigRequest } from './load-config.ts';

let folder: string;
let agent: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'config-')));
  agent = join(folder, 'agent');
  mkdirSync(agent);
});
afterEach(() => rmSync(folder, { recursive: true }));

const user = { XDG_DATA_HOME: '/data', XDG_CACHE_HOME: '/cache' };

function load(
  parts: {
    flags?: Record<string, unknown>;
    environment?: ConfigRequest['environment'];
    configFile?: string;
  } = {},
) {
  return loadConfig({
    sourcePath: 'agent',
    workingDir: folder,
    flags: new Map(Object.entries({ 'guest.sandbox': 'none', ...parts.flags })),
    environment: { ...user, ...parts.environment },
    ...(parts.configFile === undefined ? {} : { configFile: parts.configFile }),
  });
}

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

describe('the order of the sources', () => {
  it('prefers the flag over the variable over the file over the default', () => {
    const configFile = write('c.yaml', 'engine:\n  namespace: file\n  max_checkpoint_history: 5\n');
    const environment = { SERVICE_ENGINE_NAMESPACE: 'variable', SERVICE_LOG_LEVEL: 'debug' };
    const flags = { 'engine.namespace': 'flag' };

    expect(load().config.engine.namespace).toBe('default');
    expect(load({ configFile }).config.engine.namespace).toBe('file');
    expect(load({ configFile, environment }).config.engine.namespace).toBe('variable');
    const { config } = load({ configFile, environment, flags });
    expect(config.engine.namespace).toBe('flag');
    const { maxCheckpointHistory, compatCheckpointHistory } = config.engine;
    expect([maxCheckpointHistory, compatCheckpointHistory]).toEqual([5, 5]);
    expect(config.log.level).toBe('debug');
  });

  it('takes the file that SERVICE_CONFIG_FILE names, and --config before it', () => {
    const environment = { SERVICE_CONFIG_FILE: write('env.yaml', 'shutdown_timeout: 10s') };
    expect(load({ environment }).config.shutdownTimeoutMs).toBe(10_000);
    const configFile = write('flag.yaml', 'shutdown_timeout: 20s');
    expect(load({ environment, configFile }).config.shutdownTimeoutMs).toBe(20_000);
  });
});

it('gives the documented defaults', () => {
  expect(load().config).toEqual({
    sourceDir: agent,
    dataDir: expect.stringMatching(/^\/data\/agent-runtime\/agent-[0-9a-f]{12}$/),
    cacheDir: '/cache/agent-runtime',
    api: { port: 8090, isStudioServed: true, maxBodyBytes: 8 * 1024 ** 2 },
    engine: {
      namespace: 'default',
      taskQueue: expect.stringMatching(/^agent-runtime-[0-9a-f]{12}$/),
      maxCheckpointHistory: 1,
      compatCheckpointHistory: 50,
      maxCheckpointBytes: 1024 ** 2,
      isCheckpointCeilingAutomatic: true,
      runRestart: { maxAttempts: 3, initialBackoffMs: 1000, factor: 2, maxBackoffMs: 30_000 },
    },
    guest: {
      sandbox: 'none',
      network: { mode: 'egress' },
      userEnvironment: user,
      environment: {},
      reload: false,
      allowedTypes: [],
      stuckAfterMs: 30_000,
      checkpointMaxSize: 50 * 1024 ** 2,
      isolation: 'shared',
      threadIdleMs: 60_000,
    },
    authz: { isEverythingAllowed: false, policyFiles: [] },
    history: {
      database: {
        provider: 'sqlite',
        path: expect.stringMatching(/^\/data\/agent-runtime\/agent-[0-9a-f]{12}\/history\.db$/),
      },
      detail: 'full',
      ...{ retentionMs: 7 * 24 * 3_600_000, maxBytes: 2e9, redact: [], prices: [] },
    },
    log: { level: 'info', format: 'plain', isAccessPretty: false },
    metrics: {},
    webhooks: {},
    shutdownTimeoutMs: 300_000,
  });
});

it('gives a sandbox its images and limits', () => {
  const flags = {
    'guest.sandbox': undefined,
    'guest.base_image': 'python=example.org:5000/py:1, javascript=node',
    'guest.memory_limit': '512Mi',
    'guest.cpu_limit': '0.5',
  };
  expect(load({ flags }).config.guest).toMatchObject({
    sandbox: 'docker',
    container: {
      images: { python: 'example.org:5000/py:1', javascript: 'node' },
      limits: {
        ...{ cpus: 0.5, memoryBytes: 512 * 1024 ** 2 },
        ...{ pids: 1_024, openFiles: 16_384, tmpBytes: 512 * 1024 ** 2 },
      },
    },
  });
  const both = load({ flags: { ...flags, 'guest.base_image': 'example.org/both' } });
  expect(both.config.guest.container?.images).toEqual({
    python: 'example.org/both',
    javascript: 'example.org/both',
  });
});

it('takes the agents of an image instead of a folder, and keeps its threads over versions', () => {
  const from = (image: string) =>
    loadConfig({
      workingDir: folder,
      environment: user,
      flags: new Map(Object.entries({ 'guest.sandbox': undefined, 'guest.image': image })),
    }).config;
  const config = from('reg.example/team/agents:1');
  expect(config).toMatchObject({
    sourceDir: '/agent',
    guest: {
      images: { image: 'reg.example/team/agents:1' },
      container: { images: { python: 'reg.example/team/agents:1' } },
      reload: false,
      environment: {},
    },
  });
  expect(config.dataDir).toMatch(/^\/data\/agent-runtime\/agents-[0-9a-f]{12}$/);
  expect(from('reg.example/team/agents:2').dataDir).toBe(config.dataDir);
  expect(from('reg.example/other/agents:1').dataDir).not.toBe(config.dataDir);
});

it('needs a folder or an image', () => {
  const request = { workingDir: folder, environment: user, flags: new Map<string, unknown>() };
  expect(() => loadConfig(request)).toThrow(
    'Name an agent folder, or an image with the agents inside by --image.',
  );
  expect(loadConfig({ ...request, fallbackPath: 'agent' }).config.sourceDir).toBe(agent);
});

it('asks no policy where the variable switches it off', () => {
  const environment = {
    SERVICE_AUTHZ_TYPE: 'allowall',
    SERVICE_AUTHZ_EMBEDDED_POLICY_DOMAIN_FILES: 'a.yaml',
  };
  // Files that are not read are none: SIGHUP has nothing to read again.
  expect(load({ environment }).config.authz).toEqual({
    isEverythingAllowed: true,
    policyFiles: [],
  });
});

it.each(['', ' , '])(
  'does not take --policy %j for no policies, which permits everything',
  (files) => {
    const key = 'authz.embedded.policy_domain_files';
    expect(() => load({ flags: { [key]: files } })).toThrow(
      '--policy names no file: name one, or leave it out.',
    );
  },
);

it('is frozen all the way down', () => {
  const { config } = load();
  expect(() => Object.assign(config.engine.runRestart, { maxAttempts: 9 })).toThrow(TypeError);
});

it('withholds SERVICE_ variables from the agents', () => {
  const environment = { HOME: '/home/ada', SERVICE_LICENSE_KEY: 'secret', UNSET: undefined };
  const { config, licenseKey } = load({ environment });
  expect(config.guest.userEnvironment).toEqual({ ...user, HOME: '/home/ada' });
  expect(licenseKey).toBe('secret');
});

it('reads secrets from the file that a _FILE variable or key names', () => {
  const path = write('key', 'from-file\n');
  expect(load({ environment: { SERVICE_LICENSE_KEY_FILE: path } }).licenseKey).toBe('from-file');
  const configFile = write('c.yaml', 'license:\n  key_file: key\n');
  expect(load({ configFile }).licenseKey).toBe('from-file');
});

it('reads the debugger, its options also from one variable, paths from the working directory', () => {
  const environment = {
    SERVICE_GUEST_DEBUG_ENABLED: 'true',
    SERVICE_GUEST_DEBUG_PROVIDER_OPTIONS: 'wait-for-client=true, log-dir=logs',
  };
  expect(load({ environment }).config.guest.debug).toEqual({
    provider: 'debugpy',
    port: 5678,
    options: { 'wait-for-client': 'true', 'log-dir': join(folder, 'logs') },
  });
  expect(load().config.guest).not.toHaveProperty('debug');
});

it('warns when checkpoints do not pass between guest and host', () => {
  const environment = {
    SERVICE_GUEST_CHECKPOINT_MAX_SIZE: '512Ki',
    SERVICE_API_LISTEN_ADDR: '[::1]:1',
  };
  expect(load({ environment }).warnings).toEqual([
    expect.stringMatching(
      /^guest\.checkpoint_max_size .* is 524288: larger checkpoints do not pass/,
    ),
  ]);
});

it('warns when the API is open to other machines, and about misspelt variables', () => {
  const local = load({ flags: { 'api.listen_addr': '127.0.0.1:0' } });
  expect([local.warnings, openApiWarning(local.config)]).toEqual([[], undefined]);
  const { config } = load({});
  expect(openApiWarning(config)).toContain('asks for no credentials');
  expect(openApiWarning(config, { isStudioAuthDisabled: false })).toBeUndefined();
  // The mark exists where an agent starts a service.
  const misspelt = { SERVICE_ENGINE_NAMESPAC: 'x', SERVICE_GUEST_MARK: '1/2' };
  expect(load({ environment: misspelt }).warnings).toEqual([
    'SERVICE_ENGINE_NAMESPAC is not a setting; did you mean SERVICE_ENGINE_NAMESPACE?',
  ]);
});

describe('paths', () => {
  it('start at the working directory, in the file at its folder', () => {
    mkdirSync(join(folder, 'etc'));
    const configFile = write('etc/c.yaml', 'data_dir: data\nguest:\n  interpreter: bin/python\n');
    const { config } = load({ configFile });
    expect(config.dataDir).toBe(join(folder, 'etc/data'));
    expect(config.guest.interpreter).toBe(join(folder, 'etc/bin/python'));
    const flags = { data_dir: 'data', 'guest.interpreter': 'python3.12' };
    expect(load({ configFile, flags }).config.dataDir).toBe(join(folder, 'data'));
    expect(load({ flags }).config.guest.interpreter).toBe('python3.12');
  });
});

describe('environment files', () => {
  it('finds .env of the agent folder when none is given', () => {
    write('agent/.env', 'A=1\nB="two words"\n');
    expect(load().config.guest.environment).toEqual({ A: '1', B: 'two words' });
  });

  it('lets later files override earlier ones, and leaves .env out then', () => {
    write('agent/.env', 'C=3');
    const files = [write('one.env', 'A=1\nB=1'), write('two.env', '# comment\nB=2')];
    const { config } = load({ flags: { 'guest.environment_files': files.join(',') } });
    expect(config.guest.environment).toEqual({ A: '1', B: '2' });
  });

  it('of a sandboxed folder get nothing of the user, as those do that the user names', () => {
    const text = 'A=1\nB=${A}${SECRET}';
    const file = write('agent/.env', text);
    const sandbox = { 'guest.sandbox': 'docker' };
    const environment = { SECRET: 'user' };
    const read = (flags: Record<string, string>): unknown =>
      load({ flags, environment }).config.guest.environment;
    expect(read(sandbox)).toEqual({ A: '1', B: '1' });
    expect(read({ ...sandbox, 'guest.environment_files': file })).toEqual({ A: '1', B: '1user' });
    expect(read({ 'guest.sandbox': 'none' })).toEqual({ A: '1', B: '1user' });
    rmSync(join(folder, file));
    symlinkSync(join(folder, write('elsewhere.env', text)), join(folder, file));
    expect(() => read(sandbox)).toThrow(/\.env is outside .*guest\.source_folders/);
  });

  it('refuses one that does not exist', () => {
    expect(() => load({ flags: { 'guest.environment_files': 'no.env' } })).toThrow(
      /The environment file .*no\.env cannot be read/,
    );
  });
});

describe('what is refused, with one sentence', () => {
  const refusals: [string, Parameters<typeof load>[0], RegExp][] = [
    [
      'an interpreter in the default sandbox',
      { flags: { 'guest.sandbox': undefined, 'guest.interpreter': 'python3' } },
      /--interpreter needs --sandbox none/,
    ],
    [
      "gVisor's mode without gVisor",
      { flags: { 'guest.sandbox': 'docker', 'guest.rootless': 'false' } },
      /--rootless=false needs --sandbox gvisor/,
    ],
    ['an unknown sandbox', { flags: { 'guest.sandbox': 'jail' } }, /docker, none or gvisor/],
    [
      'images for other languages',
      { flags: { 'guest.sandbox': 'docker', 'guest.base_image': 'ruby=x' } },
      /--guest-image takes an image, or python=<image>/,
    ],
    [
      'memory that no guest comes up in',
      { flags: { 'guest.sandbox': 'docker', 'guest.memory_limit': '16Mi' } },
      /--memory is too little for a guest: 64Mi at least/,
    ],
    [
      'a folder and an image with the agents inside',
      { flags: { 'guest.sandbox': 'docker', 'guest.image': 'agents:1' } },
      /^The agent folder agent and the image agents:1 exclude each other/,
    ],
    ['limits without a sandbox', { flags: { 'guest.cpu_limit': '0.5' } }, /--cpu needs a sandbox/],
    [
      'a part that does not exist yet',
      { flags: { 'stream.provider': 'redis' } },
      /^--stream.provider is not available yet: the Redis stream log/,
    ],
    [
      'authentication without an issuer',
      { environment: { SERVICE_API_AUTH_ENABLED: 'true' } },
      /^api\.auth\.enabled needs api\.auth\.oidc_issuer\.$/,
    ],
    [
      'authentication without an audience',
      { flags: { 'api.auth.enabled': true, 'api.auth.oidc_issuer': 'https://id.example' } },
      /^api\.auth\.enabled needs api\.auth\.oidc_audience\.$/,
    ],
    [
      'an issuer that is no URL',
      {
        flags: {
          'api.auth.enabled': true,
          'api.auth.oidc_issuer': 'id.example',
          'api.auth.oidc_audience': 'a',
        },
      },
      /^api\.auth\.oidc_issuer takes an https URL without query and fragment, not "id\.example"\.$/,
    ],
    [
      'OIDC and test mode together',
      { flags: { 'api.auth.enabled': true, 'api.auth.test_mode': true } },
      /^api\.auth\.enabled and api\.auth\.test_mode exclude each other/,
    ],
    [
      'a wrong value, by the name its source gave it',
      { environment: { SERVICE_ENGINE_MAX_CHECKPOINT_HISTORY: 'many' } },
      /^SERVICE_ENGINE_MAX_CHECKPOINT_HISTORY takes a whole number from 1 to 10000, not "many"\.$/,
    ],
    [
      'checkpoints the engine cannot take',
      { environment: { SERVICE_ENGINE_MAX_CHECKPOINT_BYTES: '8MiB' } },
      /without external checkpoint storage the engine takes 2097152 at most/,
    ],
    [
      'checkpoints beyond the ceiling of the platform',
      { environment: { SERVICE_ENGINE_MAX_CHECKPOINT_BYTES: '25MiB' } },
      /engine\.max_checkpoint_bytes is 26214400; 25165824 is most/,
    ],
    [
      'a continue-as-new payload the engine cannot take',
      { environment: { SERVICE_ENGINE_CAN_PAYLOAD_BUDGET_BYTES: '2MiB' } },
      /engine\.can_payload_budget_bytes is 2097152, but .* takes 1992294 at most/,
    ],
  ];
  it.each(refusals)('%s', (_, parts, sentence) => {
    expect(() => load(parts)).toThrow(expect.objectContaining({ code: 'config_invalid' }));
    expect(() => load(parts)).toThrow(sentence);
  });

  it('takes a part that does not exist yet at its default', () => {
    expect(() =>
      load({ flags: { 'guest.bundle_mcp_tools': false, 'guest.debug.port': '5678' } }),
    ).not.toThrow();
  });

  it('an unknown key of the file, with the nearest known one', () => {
    const configFile = write('c.yaml', 'engine:\n  run_restart:\n    max_attempt: 1\n');
    expect(() => load({ configFile })).toThrow(
      /unknown key "engine\.run_restart\.max_attempt"; did you mean "engine\.run_restart\.max_attempts"\?/,
    );
  });

  it('a file that does not exist or is not YAML', () => {
    expect(() => load({ configFile: 'no.yaml' })).toThrow(/no\.yaml.*ENOENT/);
    expect(() => load({ configFile: write('c.yaml', 'a: [1') })).toThrow(/c\.yaml/);
  });

  it('an agent folder that does not exist', () => {
    const request = { flags: new Map([['guest.sandbox', 'none']]), environment: {} };
    expect(() => loadConfig({ ...request, sourcePath: 'nowhere', workingDir: folder })).toThrow(
      'There is no agent folder nowhere.',
    );
  });
});
