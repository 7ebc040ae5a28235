import {
  IconAlertCircle,
  IconBug,
  IconCircle,
  IconLoader2,
  IconPlugConnected,
  IconPlugX,
  type TablerIcon,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { DebuggingView } from '../../../../electron/src/ipc/contract.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { languageNames } from '../../ui/language-names.ts';
import { providers } from './providers.ts';

/** Each with a colour of tokens.css. */
const appearances: Readonly<Record<DebuggingView['state'], readonly [TablerIcon, string]>> = {
  off: [IconCircle, 'cancelled'],
  starting: [IconLoader2, 'running'],
  waiting: [IconPlugConnected, 'interrupted'],
  attached: [IconBug, 'completed'],
  failed: [IconAlertCircle, 'error'],
  unavailable: [IconPlugX, 'cancelled'],
};

/** The state of the debugger: icon, word, and what to do next. `action` is the button for that state. */
export function DebugState({
  view,
  action,
}: {
  view: DebuggingView;
  action: ReactNode;
}): ReactNode {
  const { state, port } = view;
  const [Icon, tone] = appearances[state];
  const about = facts(view);
  const address = port === undefined ? undefined : `127.0.0.1:${port}`;
  return (
    <section
      className="debugging-state card row"
      data-tone={tone}
      aria-label="State of the debugger"
    >
      <Icon className="tone" size={18} aria-hidden />
      <div className="grow" role={state === 'failed' ? 'alert' : 'status'}>
        <h2 className="row wrap">
          <span className="tone">{word(view)}</span>
          {address !== undefined && state !== 'failed' && (
            <span className="row">
              at <code>{address}</code>
              <CopyButton value={address} label="Copy the address" />
            </span>
          )}
        </h2>
        <p>{whatNow(view)}</p>
        {about !== '' && <p className="dim">{about}</p>}
      </div>
      {action}
    </section>
  );
}

function word({ state, provider }: DebuggingView): string {
  switch (state) {
    case 'off':
      return 'Off';
    case 'starting':
      return 'Starting';
    case 'waiting':
      return provider !== undefined && providers[provider].dialsOut
        ? 'Waiting for the IDE'
        : 'Waiting for a debugger';
    case 'attached':
      return 'Attached';
    case 'failed':
      return 'Failed';
    case 'unavailable':
      return 'Not available';
  }
}

function whatNow(view: DebuggingView): ReactNode {
  const { state, message, provider } = view;
  const dialsOut = provider !== undefined && providers[provider].dialsOut;
  switch (state) {
    case 'off':
      return 'Agents run in their ordinary processes.';
    case 'starting':
      if (message !== undefined) return `${message} It is retried.`;
      return dialsOut
        ? 'The agents start, and then connect to the IDE.'
        : 'The agents start again, under the debugger.';
    case 'waiting':
      return dialsOut
        ? 'Start its debug server; the agents connect to it by themselves.'
        : 'Attach, set a breakpoint in a node, and start a run.';
    case 'attached':
      return (
        <>
          Breakpoints stop the agents. <Link to="?compose=1">Start a run</Link> to hit them.
        </>
      );
    case 'failed':
      return `${message ?? 'It gives no reason; see the log.'} ${remedy(message ?? '')}`;
    case 'unavailable':
      return message;
  }
}

/** What to do about a failure whose message does not contain it. */
function remedy(message: string): string {
  if (/\bport\b/i.test(message)) return 'Choose another port, or leave it empty for a free one.';
  if (/install|No module|pip/i.test(message)) return 'Then start again.';
  return 'The agents run in their ordinary processes again; the log has more.';
}

function facts({ state, provider, language, pid }: DebuggingView): string {
  if (state === 'off' || state === 'unavailable' || provider === undefined) return '';
  return [
    providers[provider].label,
    ...(language === undefined ? [] : [`all ${languageNames[language]} agents`]),
    ...(pid === undefined ? [] : [`process ${pid}`]),
  ].join(' · ');
}
