import type { languageNames } from '../../ui/language-names.ts';

/** The debuggers, by the language of the agents they step through. */
export type Provider = 'debugpy' | 'pydevd' | 'inspector';
export type Language = keyof typeof languageNames;

export interface ProviderRow {
  readonly language: Language;
  readonly label: string;
  /** The programs that attach with it. */
  readonly clients: string;
  /** The port that its programs expect. */
  readonly usualPort: number;
  /** The agents connect to the IDE: the port is the IDE's. */
  readonly dialsOut: boolean;
  readonly options: readonly DebugOption[];
}

export interface DebugOption {
  readonly key: string;
  readonly label: string;
  readonly description: string;
}

const waitForClient: DebugOption = {
  key: 'wait-for-client',
  label: 'Wait for a debugger before the agents load',
  description: 'To stop in code that runs at import. Runs wait until one is attached.',
};

export const providers: Readonly<Record<Provider, ProviderRow>> = {
  debugpy: {
    language: 'python',
    label: 'debugpy',
    clients: 'For VS Code, Cursor, Neovim, Emacs',
    usualPort: 5678,
    dialsOut: false,
    options: [
      waitForClient,
      {
        key: 'sub-process',
        label: 'Debug processes that agents start',
        description: 'Each needs its own session.',
      },
    ],
  },
  pydevd: {
    language: 'python',
    label: 'pydevd',
    clients: 'For PyCharm, which listens',
    usualPort: 5678,
    dialsOut: true,
    options: [],
  },
  inspector: {
    language: 'javascript',
    label: 'inspector',
    clients: 'For VS Code, WebStorm, Chrome',
    usualPort: 9229,
    dialsOut: false,
    options: [waitForClient],
  },
};

/** The debuggers for a language, the most common first. */
export function providersFor(language: Language): Provider[] {
  return all.filter((name) => providers[name].language === language);
}

const all: readonly Provider[] = ['debugpy', 'pydevd', 'inspector'];
