import { IconCircleCheck, IconCircleDashed, IconCircleX, IconLoader2 } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ServiceView, StepName } from '../../../../electron/src/ipc/contract.ts';
import { formatDuration } from '../../ui/format.ts';

const titles: Readonly<Record<StepName, string>> = {
  folder: 'Folder',
  settings: 'Settings',
  packages: 'Packages',
  sandbox: 'Sandbox',
  images: 'Images',
  build: 'Build',
  agents: 'Agents',
  engine: 'Engine',
  threads: 'Threads',
  api: 'API',
};

const icons = {
  waiting: IconCircleDashed,
  running: IconLoader2,
  done: IconCircleCheck,
  failed: IconCircleX,
} as const;

const headings = {
  starting: 'Starting',
  ready: 'Serves',
  failed: 'Not started:',
  stopping: 'Stopping',
  stopped: 'Stopped',
  remote: '',
} as const;

/** How far the start of the service is, step by step, and at which it failed. */
export function StartSteps({ view }: { view: ServiceView }): ReactNode {
  const { steps, folder = '' } = view;
  return (
    <div className="welcome-steps">
      <h2>
        {headings[view.state]} <span className="welcome-folder mono">{folder}</span>
      </h2>
      <ol aria-live="polite">
        {steps.map(({ name, state, ms, message }) => {
          const Icon = icons[state];
          return (
            <li key={name} data-state={state}>
              <Icon size={16} aria-label={state} />
              <strong>{titles[name]}</strong>
              <span className="welcome-step-text" title={message}>
                {message}
              </span>
              <span className="welcome-step-time mono">
                {ms === undefined ? '' : formatDuration(ms)}
              </span>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
