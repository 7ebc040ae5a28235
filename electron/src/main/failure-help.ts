import type { HelpingAction, ServiceFailure, StepName } from '../ipc/contract.ts';

interface Help {
  readonly help: string;
  readonly actions: readonly HelpingAction[];
}

const byCode: Readonly<Record<string, Help>> = {
  manifest_invalid: {
    help: 'The folder needs an agent.json (or langgraph.json) whose "graphs" name the agents. Correct it and restart, or open another folder.',
    actions: ['restart', 'choose_folder'],
  },
  license_invalid: {
    help: 'Remove SERVICE_LICENSE_KEY from the environment to use the free community key, or set a valid one.',
    actions: ['restart', 'doctor'],
  },
  images_missing: {
    help: 'Agents in a sandbox need an image. Building it takes some minutes, once for each version, and downloads python:3.12-slim or node:24-slim from Docker Hub; then the start goes on.',
    actions: ['build', 'settings', 'doctor'],
  },
  service_ended: {
    help: 'Threads and runs are kept; runs in flight go on after a restart. The log has its last words.',
    actions: ['restart', 'logs'],
  },
};

const byStep: Readonly<Record<StepName, Help>> = {
  folder: { help: 'Open a folder that is there.', actions: ['choose_folder'] },
  settings: { help: 'Correct the setting and restart.', actions: ['settings', 'restart'] },
  packages: {
    help: 'The log has all that the package manager said. A restart goes on without the packages.',
    actions: ['install', 'restart', 'logs'],
  },
  sandbox: {
    help: 'Or choose another sandbox in the settings; with None the agents are plain processes of your user. The doctor looks at Docker and gVisor.',
    actions: ['restart', 'settings', 'doctor'],
  },
  images: {
    help: 'Try again when that is mended, or choose another sandbox in the settings.',
    actions: ['restart', 'settings', 'doctor'],
  },
  build: {
    help: 'Building needs python:3.12-slim or node:24-slim of Docker Hub. Build again, or choose another sandbox in the settings.',
    actions: ['build', 'settings', 'doctor'],
  },
  agents: {
    help: 'If another window or `service serve` has this folder open, end that one first.',
    actions: ['restart', 'choose_folder', 'logs'],
  },
  engine: {
    help: 'The doctor looks for the engine and for what keeps it from starting.',
    actions: ['restart', 'doctor', 'logs'],
  },
  threads: { help: 'The log has more.', actions: ['restart', 'logs'] },
  api: {
    help: 'Port 0 in the settings takes any free port.',
    actions: ['settings', 'restart', 'logs'],
  },
};

const afterStart: Help = {
  help: 'A restart takes up interrupted runs again; the log has more.',
  actions: ['restart', 'logs', 'doctor'],
};

/** What failed, with what to do about it. */
export function explainFailure(failure: {
  code: string;
  message: string;
  step?: StepName;
}): ServiceFailure {
  const { code, step } = failure;
  const { help, actions } = byCode[code] ?? (step === undefined ? afterStart : byStep[step]);
  return { ...failure, help, actions: [...actions] };
}
