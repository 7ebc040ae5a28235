// Who may import whom (ARCHITECTURE.md, "Who may import whom"), as data for dependency-cruiser.
import type { IForbiddenRuleType } from 'dependency-cruiser';

interface Room {
  /** What the room may import from server/src, beside itself: a room, or one file of a room. */
  readonly uses: readonly string[];
  /** The same, but only with `import type`. */
  readonly types?: readonly string[];
}

/** The rooms of server/src. A folder that is not named here is an error. */
export const rooms: Readonly<Record<string, Room>> = {
  cli: {
    uses: [
      'service.ts',
      'compose',
      'version.ts',
      'config',
      'license',
      'policy',
      'errors',
      'observability',
    ],
  },
  compose: {
    uses: [
      'version.ts',
      'agents',
      'assistants',
      'auth',
      'bundle',
      'config',
      'crons',
      'database',
      'engine',
      'errors',
      'guest',
      'history',
      'images',
      'model',
      'observability',
      'policy',
      'storage',
      'store',
      'threads',
      'webhooks',
    ],
  },
  config: { uses: ['files', 'model', 'errors', 'guest/egress/egress-rule.ts'] },
  concurrency: { uses: [] },
  files: { uses: ['model'] },
  contract: { uses: ['errors'], types: ['policy/port.ts'] },
  model: { uses: [] },
  errors: { uses: [] },
  http: {
    uses: [
      'contract',
      'auth',
      'policy',
      'agents',
      'threads',
      'streams',
      'store',
      'errors',
      'model',
      'observability',
    ],
    types: [
      'assistants/port.ts',
      'crons/port.ts',
      'crons/scheduler.ts',
      'history/port.ts',
      'webhooks/port.ts',
    ],
  },
  auth: { uses: ['model', 'errors', 'observability'] },
  policy: { uses: ['native', 'model', 'errors', 'observability'] },
  agents: { uses: ['files', 'model', 'errors', 'observability'] },
  storage: { uses: ['model', 'errors', 'observability'], types: ['config'] },
  store: { uses: ['concurrency', 'config/sqlite-runtime.ts', 'model', 'errors', 'observability'] },
  database: { uses: ['config/sqlite-runtime.ts'] },
  assistants: { uses: ['database', 'errors'] },
  crons: { uses: ['database', 'model', 'errors'] },
  webhooks: {
    uses: ['database', 'guest/egress', 'model', 'errors'],
  },
  history: { uses: ['concurrency', 'database', 'model', 'errors'] },
  bundle: { uses: ['version.ts', 'model', 'errors'], types: ['engine', 'streams', 'threads'] },
  threads: {
    uses: [
      'concurrency',
      'model',
      'policy',
      'agents',
      'streams',
      'history/run-origin.ts',
      'errors',
      'observability',
    ],
    types: [
      'engine/engine.ts',
      'engine/requests.ts',
      'store/port.ts',
      'history/port.ts',
      'history/recorder.ts',
      'assistants/port.ts',
      'crons/port.ts',
      'webhooks/port.ts',
    ],
  },
  streams: { uses: ['model', 'errors', 'observability'] },
  engine: {
    uses: ['native', 'model', 'errors', 'streams', 'observability'],
    types: ['workflows', 'config', 'activities/live-run.ts'],
  },
  workflows: { uses: ['model', 'errors'] },
  activities: {
    uses: [
      'concurrency',
      'workflows/activity-types.ts',
      'model',
      'guest',
      'streams',
      'history/run-origin.ts',
      'errors',
      'observability',
    ],
    types: ['history/events.ts', 'history/recorder.ts'],
  },
  guest: {
    uses: [
      'concurrency',
      'config/process-identity.ts',
      'files',
      'model',
      'errors',
      'observability',
    ],
  },
  observability: { uses: ['model', 'errors'], types: ['engine', 'guest', 'store'] },
  license: { uses: ['model', 'errors'] },
  images: { uses: ['native', 'model', 'errors', 'guest/process/owned-folder.ts'] },
  native: { uses: [] },
};

/** The files outside the rooms. service.ts is the composition root: it builds everything. */
export const doors: Readonly<Record<string, Room>> = {
  'index.ts': {
    uses: ['service.ts', 'compose', 'config', 'model', 'errors', 'license', 'observability'],
    types: ['guest/debug/debugging.ts'],
  },
  'service.ts': {
    uses: ['version.ts', ...Object.keys(rooms).filter((room) => room !== 'cli')],
  },
  'version.ts': { uses: [] },
};

/** Packages that only the named rooms may import. */
const packages: readonly { readonly name: string; readonly only: readonly string[] }[] = [
  { name: '@temporalio/workflow', only: ['workflows'] },
  { name: '@temporalio/activity', only: ['activities'] },
  { name: '@temporalio/(?!workflow/|activity/)', only: ['engine'] },
  { name: '@aws-sdk/', only: ['storage'] },
  { name: 'express', only: ['http'] },
  { name: '@grpc/', only: ['guest', 'engine'] },
  { name: 'commander', only: ['cli'] },
];

/** Rooms that see no package and no Node module but these. */
const packagesOf: Readonly<Record<string, readonly string[]>> = {
  model: [],
  errors: [],
  workflows: ['@temporalio/workflow'],
  contract: ['zod'],
};

const source = '^server/src/';
/** Tests, and what tests of one folder share. */
const test = '(\\.test|-fixture)\\.tsx?$';
const escape = (text: string): string => text.replaceAll('.', '\\.');
const within = (target: string): string =>
  target.endsWith('.ts') ? `${source}${escape(target)}$` : `${source}${target}/`;

function roomRules(name: string, { uses, types = [] }: Room): IForbiddenRuleType[] {
  const from = { path: within(name), pathNot: test };
  return [
    {
      name: `room-${name}`,
      severity: 'error',
      comment: `${name} may import ${[...uses, ...types].join(', ') || 'nothing'}`,
      from,
      to: { path: source, pathNot: [name, ...uses, ...types].map(within) },
    },
    ...(types.length === 0
      ? []
      : [
          {
            name: `room-${name}-types`,
            severity: 'error' as const,
            comment: `${name} may import only types of ${types.join(', ')}`,
            from,
            to: { path: types.map(within), dependencyTypesNot: ['type-only' as const] },
          },
        ]),
  ];
}

function packageRules(): IForbiddenRuleType[] {
  const only = packages.map(({ name, only }): IForbiddenRuleType => ({
    name: `package-${name}`,
    severity: 'error',
    comment: `${name} belongs to ${only.join(', ')}`,
    from: { path: source, pathNot: [test, ...only.map(within)] },
    to: { path: `(^|/)node_modules/${name}` },
  }));
  const closed = Object.entries(packagesOf).map(([room, names]): IForbiddenRuleType => ({
    name: `packages-of-${room}`,
    severity: 'error',
    comment: `${room} sees no Node module and no package but ${names.join(', ') || 'none'}`,
    from: { path: within(room), pathNot: test },
    to: {
      dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg'],
      ...(names.length === 0 ? {} : { pathNot: names.map((name) => `(^|/)node_modules/${name}/`) }),
    },
  }));
  return [...only, ...closed];
}

function forbid(name: string, from: string, to: string, toNot?: string): IForbiddenRuleType {
  return {
    name,
    severity: 'error',
    from: { path: from },
    to: { path: to, ...(toNot === undefined ? {} : { pathNot: toNot }) },
  };
}

const ours = '^(electron|renderer|server|e2e|examples|scripts)/';

const studio = '^renderer/src/';

/** What a folder of the studio may import of it, beside itself; tests and their setup may import anything. */
const studioFolders: Readonly<Record<string, readonly string[]>> = {
  state: [],
  api: ['state/', 'desktop.ts'],
  ui: ['state/', 'api/errors.ts', 'api/json-record.ts', 'desktop.ts'],
  features: ['api/', 'state/', 'ui/', 'desktop.ts'],
};

function studioRules(): IForbiddenRuleType[] {
  const folders = Object.entries(studioFolders).map(([name, uses]): IForbiddenRuleType => ({
    name: `studio-${name}`,
    severity: 'error',
    comment: `${name} may import ${uses.join(', ') || 'nothing of the studio'}`,
    from: { path: `${studio}${name}/`, pathNot: test },
    to: { path: studio, pathNot: [`${name}/`, ...uses].map((use) => studio + escape(use)) },
  }));
  const router: IForbiddenRuleType = {
    name: 'studio-doors',
    severity: 'error',
    comment: 'only the router opens the features',
    from: { path: `${studio}(?!features/)`, pathNot: [test, `${studio}app/router\\.tsx$`] },
    to: { path: `${studio}features/` },
  };
  return [...folders, router];
}

/** Every rule of the house. */
export const rules: readonly IForbiddenRuleType[] = [
  ...Object.entries({ ...rooms, ...doors }).flatMap(([name, room]) => roomRules(name, room)),
  ...packageRules(),
  forbid('guests-are-files', '^(server/src|electron|renderer)/', '^server/guests/'),
  forbid('guests-stand-alone', '^server/guests/', ours, '^server/guests/'),
  forbid('server-stands-alone', '^server/', ours, '^(server|scripts|examples)/'),
  forbid('source-without-tests', '^server/src/.*(?<!\\.test)\\.ts$', '\\.test\\.ts$|^server/test/'),
  forbid('source-without-scripts', '^(server/src|electron|renderer)/', '^scripts/'),
  {
    name: 'store-on-demand',
    severity: 'error',
    comment: 'a service without a store loads no database and no query builder',
    from: { path: '^server/src/(?!store/)', pathNot: test },
    to: {
      path: '^server/src/store/(open-store|sql-store|sqlite-source|postgres-source)\\.ts$',
      dynamic: false,
      dependencyTypesNot: ['type-only'],
    },
  },
  forbid('examples-stand-alone', '^examples/', ours, '^examples/'),
  forbid('electron-public-entry', '^electron/', ours, '^electron/|^server/src/index\\.ts$'),
  forbid('renderer-own-files', '^renderer/', ours, '^renderer/|^electron/src/ipc/contract\\.ts$'),
  {
    name: 'renderer-ipc-types',
    severity: 'error',
    from: { path: '^renderer/' },
    to: { path: '^electron/', dependencyTypesNot: ['type-only'] },
  },
  ...studioRules(),
  {
    name: 'features-apart',
    severity: 'error',
    comment: 'a feature folder can be deleted with its route',
    from: { path: '^renderer/src/features/([^/]+)/' },
    to: { path: '^renderer/src/features/', pathNot: '^renderer/src/features/$1/' },
  },
  forbid('e2e-stands-alone', '^e2e/', ours, '^e2e/'),
  {
    name: 'resolvable',
    severity: 'error',
    comment: 'the import leads to no file',
    from: {},
    to: { couldNotResolve: true },
  },
];
