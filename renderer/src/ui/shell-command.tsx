import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';
import './shell-command.css';

interface ShellCommandProps {
  readonly command: string;
  readonly label?: string;
}

/** A command to type into a terminal, with a button that copies it. */
export function ShellCommand({
  command,
  label = 'Copy the command',
}: ShellCommandProps): ReactNode {
  return (
    <div className="shell-command code-box">
      <code>{command}</code>
      <CopyButton value={command} label={label} />
    </div>
  );
}
