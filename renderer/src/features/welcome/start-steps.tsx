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

/** Each with a colour of tokens.css. */
const appearances = {
  waiting: [IconCircleDashed, 'cancelled'],
  running: [IconLoader2, 'running'],
  done: [IconCircleCheck, 'completed'],
  failed: [IconCircleX, 'error'],
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
    <div>
      <h2>
        {headings[view.state]} <span className="dim mono">{folder}</span>
      </h2>
      <ol className="welcome-list card divided" aria-live="polite">
        {steps.map(({ name, state, ms, message }) => {
          const [Icon, tone] = appearances[state];
          return (
            <li className="row" key={name} data-state={state} data-tone={tone}>
              <Icon className="tone" size={16} aria-label={state} />
              <strong>{titles[name]}</strong>
              <span className="welcome-step-text clip grow dim" title={message}>
                {message}
              </span>
              <span className="dim mono">{ms === undefined ? '' : formatDuration(ms)}</span>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
