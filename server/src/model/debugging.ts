/** The debuggers that agents can be run under, and the options of each. */
export type DebugProvider = 'debugpy' | 'pydevd' | 'inspector';

interface DebugProviderRow {
  readonly language: 'python' | 'javascript';
  /** The allowed keys of `--debug-opt`, and the kind of each value. */
  readonly options: Readonly<Record<string, 'switch' | 'folder'>>;
}

/** Guests are one process per language, so a provider applies to all agents of its language. */
export const debugProviders: Readonly<Record<DebugProvider, DebugProviderRow>> = {
  debugpy: {
    language: 'python',
    options: { 'wait-for-client': 'switch', 'sub-process': 'switch', 'log-dir': 'folder' },
  },
  pydevd: { language: 'python', options: { 'wait-for-client': 'switch' } },
  inspector: { language: 'javascript', options: { 'wait-for-client': 'switch' } },
};

/** Why the debugger does not accept these options, in one sentence; undefined when it does. */
export function wrongDebugOption(
  provider: DebugProvider,
  options: Readonly<Record<string, string>>,
): string | undefined {
  const known = debugProviders[provider].options;
  for (const [key, value] of Object.entries(options)) {
    const kind = Object.hasOwn(known, key) ? known[key] : undefined;
    if (kind === undefined) {
      return `${provider} has no option ${JSON.stringify(key)}; there are ${Object.keys(known).join(', ')}.`;
    }
    if (kind === 'switch' && value !== 'true' && value !== 'false') {
      return `${key} is true or false, not ${JSON.stringify(value)}.`;
    }
    if (value === '') return `${key} needs a value.`;
  }
  return undefined;
}
