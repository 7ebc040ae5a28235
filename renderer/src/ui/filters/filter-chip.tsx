import { UnstyledButton } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import './filters.css';

interface FilterChipProps {
  readonly label: string;
  /** Named before it, where the value alone is not understood. */
  readonly name?: string;
  readonly title?: string;
  readonly onRemove: () => void;
}

/** A part of a filter, which a click removes. */
export function FilterChip({ label, name, title = label, onRemove }: FilterChipProps): ReactNode {
  const named = (text: string): string => (name === undefined ? text : `${name} ${text}`);
  return (
    <UnstyledButton
      className="filter-chip row mono"
      aria-label={`Remove filter ${named(title)}`}
      title={title}
      onClick={onRemove}
    >
      <span className="clip">{named(label)}</span>
      <IconX size={12} aria-hidden />
    </UnstyledButton>
  );
}
