import type {
  HelpingAction,
  MissingPackages,
  ServiceView,
} from '../../../electron/src/ipc/contract.ts';
import type { Health } from '../api/queries/health.ts';

/** Why the service cannot be used, and what helps. */
export interface Trouble {
  readonly what: string;
  readonly why: string;
  /** Buttons, the most helpful first. */
  readonly actions: readonly (HelpingAction | 'start' | 'again' | 'cancel_build')[];
  /** `calm`: something is in progress, nothing is wrong; `warning`: only some agents are concerned. Absent: a failure. */
  readonly tone?: 'calm' | 'warning';
}

/** The trouble that the desktop and the service's health report; undefined while all is well. */
export function serviceTrouble(
  view: ServiceView | undefined,
  health: Health | undefined,
  isUnreachable: boolean,
): Trouble | undefined {
  switch (view?.state) {
    case 'failed': {
      const { failure } = view;
      if (failure === undefined) break;
      return {
        what:
          failure.step === undefined
            ? 'The service has ended.'
            : `The start failed at ${failure.step}.`,
        why: `${failure.message} ${failure.help}`,
        actions: failure.actions,
      };
    }
    case 'starting': {
      const step = view.steps.find(({ state }) => state === 'running');
      return {
        what: 'The service is starting.',
        why:
          step === undefined
            ? ''
            : `${step.name}${step.message === undefined ? '' : `: ${step.message}`}`,
        actions: step?.name === 'build' ? ['cancel_build', 'logs'] : ['logs'],
        tone: 'calm',
      };
    }
    case 'stopping':
      return {
        what: 'The service is stopping.',
        why: 'Runs are being stopped.',
        actions: ['logs'],
        tone: 'calm',
      };
    case 'stopped':
      return {
        what: 'No service runs.',
        why:
          view.folder === undefined
            ? 'Open the folder of your agents.'
            : `Start it on ${view.folder}.`,
        actions:
          view.folder === undefined ? ['choose_folder', 'connect'] : ['start', 'choose_folder'],
        tone: 'calm',
      };
    case 'ready':
    case 'remote':
    case undefined:
      break;
  }
  if (isUnreachable) {
    return {
      what: 'The service does not respond.',
      why: 'It is not running, or its port is closed. The studio retries every 5 s.',
      actions:
        view?.state === 'ready'
          ? ['restart', 'logs', 'doctor']
          : // A browser has no access to the log of the service.
            view === undefined
            ? ['again', 'doctor']
            : ['again', 'logs', 'doctor'],
    };
  }
  if (health?.status === 'failing' && !isAboutAgents(health)) return failing(health);
  return view?.missingPackages === undefined ? undefined : missing(view.missingPackages);
}

function missing(packages: readonly MissingPackages[]): Trouble {
  const why = packages.map(({ because, command, needs }) => {
    const how = command === undefined ? (needs ?? '') : `Installing runs: ${command}`;
    return `${because} ${how}`;
  });
  const isPossible = packages.some(({ command }) => command !== undefined);
  return {
    what: 'Packages of the agents are missing.',
    why: why.join(' '),
    actions: isPossible ? ['install', 'logs'] : ['restart', 'logs'],
    tone: 'warning',
  };
}

/** Whether only guests are failing: the agents without one are marked, everything else works. */
export function isAboutAgents({ components }: Pick<Health, 'components'>): boolean {
  const failing = Object.entries(components).filter(([, { status }]) => status === 'failing');
  return failing.length > 0 && failing.every(([name]) => name === 'guest');
}

function failing({ components }: Health): Trouble {
  const broken = Object.entries(components).filter(([, { status }]) => status === 'failing');
  const names = broken.map(([name]) => name).join(' and ');
  const isDiskFull = names === 'disk';
  const why = broken
    .map(([, component]) => ('message' in component ? String(component.message) : ''))
    .filter((message) => message !== '')
    .join(' ');
  return {
    what: isDiskFull
      ? 'The disk is full.'
      : `The ${names || 'service'} ${broken.length > 1 ? 'are' : 'is'} not ready.`,
    why: why || 'It gives no reason; see the log.',
    actions: ['again', 'logs', 'doctor'],
  };
}
