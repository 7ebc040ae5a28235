/** The debuggers that agents can be run under, and what each of them takes. */
export type DebugProvider = 'debugpy' | 'pydevd' | 'inspector';

interface DebugProviderRow {
  readonly language: 'python' | 'javascript';
  /** What `--debug-opt` may say, and the kind of its value. */
  readonly options: Readonly<Record<string, 'switch' | 'folder'>>;
}

/** Guests are one process per language, so a provider is for all agents of its language. */
export const debugProviders: Readonly<Record<DebugProvider, DebugProviderRow>> = {
  debugpy: {
    language: 'python',
    options: { 'wait-for-client': 'switch', 'sub-process': 'switch', 'log-dir': 'folder' },
  },
  pydevd: { language: 'python', options: { 'wait-for-client': 'switch' } },
  inspector: { language: 'javascript', options: { 'wait-for-client': 'switch' } },
};

/** Why these options cannot be given to the debugger, in one sentence; undefined when they can. */
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
