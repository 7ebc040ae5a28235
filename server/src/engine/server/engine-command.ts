/** The server version of the embedded engine and of the pinned CLI: both write the same database schema. */
export const serverVersion = '1.32.0';

/** A program that can serve the engine. `embedded` is ours, `cli` is Temporal's own with the same flags. */
export interface EngineBinary {
  readonly kind: 'embedded' | 'cli';
  readonly path: string;
}

/** The origin of a binary, in the order in which the origins are tried. */
export type EngineSource = 'configured' | 'packaged' | 'built' | 'path' | 'download' | 'build';

/** Values of Temporal's dynamic configuration; booleans must be booleans, or the server ignores them. */
export type DynamicConfig = Readonly<Record<string, boolean | number | string>>;

/**
 * Values that the embedded engine has built in and the official CLI gets as flags
 * (server/native/engine/internal/server/dynamic_config.go has the reasons; a test compares the two).
 */
export const dynamicDefaults: DynamicConfig = {
  'system.enableActivityEagerExecution': true,
  'frontend.enableServerVersionCheck': false,
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
  'history.MaxBufferedQueryCount': 128,
  'history.maxInFlightUpdates': 50,
  'history.maxTotalUpdates': 0,
  'frontend.namespaceRPS.visibility': 1000,
  'history.transferProcessorEnsureCloseBeforeDelete': false,
  'history.transferProcessorMaxPollRPS': 2000,
  'history.timerProcessorMaxPollRPS': 2000,
  'history.hostLevelCacheMaxSize': 1000,
  'history.eventsHostLevelCacheMaxSizeBytes': 16_777_216,
  'frontend.rps': 20_000,
  'frontend.namespaceRPS': 20_000,
  'history.rps': 20_000,
  'matching.rps': 20_000,
  'frontend.persistenceMaxQPS': 10_000,
  'history.persistenceMaxQPS': 45_000,
  'matching.persistenceMaxQPS': 20_000,
};

/** Types of search attributes, as named on the command line. */
export type SearchAttributeType =
  'Text' | 'Keyword' | 'Int' | 'Double' | 'Bool' | 'Datetime' | 'KeywordList';

/** What an engine serves, for both kinds of program. */
export interface EngineSettings {
  /** The database file; without it everything stays in memory. */
  dataFile?: string;
  namespace: string;
  searchAttributes: Readonly<Record<string, SearchAttributeType>>;
  /** Of type Bool: the embedded engine keeps workflows for which it is true out of lists and counts, which costs less. */
  unlisted?: string;
  dynamicConfig: DynamicConfig;
}

/** A program, its arguments, and whether it reports readiness as a JSON line on standard output. */
export interface EngineCommand {
  program: string;
  args: string[];
  reportsReady: boolean;
}

/** The command line of an engine on a port; both kinds understand the same flags. */
export function engineCommand(
  binary: EngineBinary,
  settings: EngineSettings,
  port: number,
): EngineCommand {
  const isOurs = binary.kind === 'embedded';
  const dynamicConfig = { ...(isOurs ? {} : dynamicDefaults), ...settings.dynamicConfig };
  const args = [
    'server',
    'start-dev',
    '--headless',
    '--ip=127.0.0.1',
    `--port=${port}`,
    `--namespace=${settings.namespace}`,
    '--log-level=warn',
    '--log-format=json',
    ...(settings.dataFile === undefined ? [] : [`--db-filename=${settings.dataFile}`]),
    ...repeated('--search-attribute', settings.searchAttributes),
    ...repeated('--dynamic-config-value', dynamicConfig, JSON.stringify),
  ];
  if (isOurs) {
    args.push('--parent-pipe', '--mutual-tls');
    if (settings.unlisted !== undefined) args.push(`--unlisted=${settings.unlisted}`);
    return { program: binary.path, args, reportsReady: true };
  }
  if (settings.dataFile !== undefined) {
    const pragmas = { journal_mode: 'wal', synchronous: 'normal', busy_timeout: '10000' };
    args.push(...repeated('--sqlite-pragma', pragmas));
  }
  // On Windows the CLI outlives a killed parent; the packages for Windows ship the embedded engine.
  if (process.platform === 'win32') return { program: binary.path, args, reportsReady: false };
  return { program: '/bin/sh', args: ['-c', watchdog, binary.path, ...args], reportsReady: false };
}

function repeated<T>(
  flag: string,
  values: Readonly<Record<string, T>>,
  write: (value: T) => string = String,
): string[] {
  return Object.entries(values).map(([key, value]) => `${flag}=${key}=${write(value)}`);
}

// The CLI does not notice when its parent is killed. Standard input ends then, and this script ends the CLI.
const watchdog = `
exec 3<&0
"$0" "$@" </dev/null 3<&- &
child=$!
trap 'kill -TERM $child 2>/dev/null' TERM
trap '' INT HUP
( trap '' TERM; cat <&3; kill -TERM $child && sleep 5 && kill -KILL $child ) >/dev/null 2>&1 &
exec 3<&-
wait $child; code=$?
while kill -0 $child 2>/dev/null; do wait $child; code=$?; done
exit $code
`;
