import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';
import './shell-command.css';

/** A command to type into a terminal, with a button that copies it. */
export function ShellCommand({ command }: { command: string }): ReactNode {
  return (
    <div className="shell-command">
      <code>{command}</code>
      <CopyButton value={command} label="Copy the command" />
    </div>
  );
}
