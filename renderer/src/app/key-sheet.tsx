import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useOfferedCommands } from '../ui/commands.ts';
import { KeyNames } from '../ui/key-names.tsx';
import { useWasIdle } from './when-idle.ts';
import './key-sheet.css';

interface KeySheetProps {
  readonly isOpen: boolean;
  onClose(): void;
}

/** Every key that does something on this page, by group. */
export function KeySheet(props: KeySheetProps): ReactNode {
  const wasIdle = useWasIdle();
  return (wasIdle || props.isOpen) && <KeyDialog {...props} />;
}

function KeyDialog({ isOpen, onClose }: KeySheetProps): ReactNode {
  const commands = useOfferedCommands().filter(({ keys }) => keys !== undefined);
  const groups = [...new Set(commands.map(({ group }) => group))].toSorted();
  return (
    <Modal opened={isOpen} onClose={onClose} title="Keys" size="lg">
      <div className="key-sheet">
        {groups.map((group) => (
          <section key={group} aria-label={group}>
            <h3>{group}</h3>
            {commands
              .filter((command) => command.group === group)
              .map(({ id, label, keys = '' }) => (
                <div className="key-sheet-line row" key={id}>
                  <span>{label}</span>
                  <KeyNames keys={keys} />
                </div>
              ))}
          </section>
        ))}
      </div>
    </Modal>
  );
}
