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
    help: 'Agents in a sandbox need an image. Building it takes some minutes, once for each version, and downloads python:3.12-slim or node:24-slim from Docker Hub; then the start continues.',
    actions: ['build', 'settings', 'doctor'],
  },
  service_ended: {
    help: 'Threads and runs are kept; runs in flight continue after a restart. The log has its last output.',
    actions: ['restart', 'logs'],
  },
};

const byStep: Readonly<Record<StepName, Help>> = {
  folder: { help: 'Open a folder that exists.', actions: ['choose_folder'] },
  settings: { help: 'Correct the setting and restart.', actions: ['settings', 'restart'] },
  packages: {
    help: 'The log has the whole output of the package manager. A restart continues without the packages.',
    actions: ['install', 'restart', 'logs'],
  },
  sandbox: {
    help: 'Or choose another sandbox in the settings; with None the agents are plain processes of your user. The doctor checks Docker and gVisor.',
    actions: ['restart', 'settings', 'doctor'],
  },
  images: {
    help: 'Try again when that is fixed, or choose another sandbox in the settings.',
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
    help: 'The doctor checks the engine and what prevents it from starting.',
    actions: ['restart', 'doctor', 'logs'],
  },
  threads: { help: 'The log has more.', actions: ['restart', 'logs'] },
  api: {
    help: 'With port 0 in the settings any free port is used.',
    actions: ['settings', 'restart', 'logs'],
  },
};

const afterStart: Help = {
  help: 'A restart resumes interrupted runs; the log has more.',
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
