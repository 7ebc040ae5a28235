import type { ReactNode } from 'react';
import { ShellCommand } from './shell-command.tsx';
import './empty-state.css';

interface EmptyStateProps {
  readonly title: string;
  /** What will be here. */
  readonly text?: ReactNode;
  /** The one thing to do. */
  readonly action?: ReactNode;
  /** The same as a shell command. */
  readonly curl?: string;
}

/** Explains what will be here and offers the one thing to do, also as a curl command. */
export function EmptyState({ title, text, action, curl }: EmptyStateProps): ReactNode {
  return (
    <section className="empty-state">
      <h2>{title}</h2>
      {text !== undefined && <p className="dim">{text}</p>}
      {action !== undefined && <div className="row">{action}</div>}
      {curl !== undefined && <ShellCommand command={curl} label="Copy the curl command" />}
    </section>
  );
}
