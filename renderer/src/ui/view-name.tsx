import { Button, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import './view-name.css';

interface ViewNameProps {
  readonly label: string;
  readonly action: 'Save' | 'Rename';
  /** The initial text of the field. */
  readonly first?: string;
  readonly isTaken: (name: string) => boolean;
  readonly onName: (name: string) => void;
}

/** One line: a name that is not taken, and the button that saves it. */
export function ViewName({ label, action, first = '', isTaken, onName }: ViewNameProps): ReactNode {
  const [typed, setTyped] = useState(first);
  const name = typed.trim();
  const problem = isTaken(name) ? 'This name is taken.' : undefined;
  return (
    <form
      className="view-name row"
      onSubmit={(event) => {
        event.preventDefault();
        // It may be within another form, which is not submitted by it.
        event.stopPropagation();
        if (name === '' || problem !== undefined) return;
        onName(name);
        setTyped('');
      }}
    >
      <TextInput
        value={typed}
        placeholder={label}
        aria-label={label}
        error={problem}
        autoFocus={first !== ''}
        onChange={(event) => setTyped(event.currentTarget.value)}
        // The menu moves by letters and arrows; Escape still closes it.
        onKeyDown={(event) => {
          if (event.key !== 'Escape') event.stopPropagation();
        }}
      />
      <Button type="submit" disabled={name === '' || problem !== undefined}>
        {action}
      </Button>
    </form>
  );
}
