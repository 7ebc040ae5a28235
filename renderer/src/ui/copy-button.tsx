import { ActionIcon } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useCopied } from './copied.ts';
import { tip } from './tip.tsx';

/** Copies `value`, and shows that for a short time. */
export function CopyButton({
  value,
  label = 'Copy',
}: {
  value: string;
  label?: string;
}): ReactNode {
  const { isCopied, copy } = useCopied();
  const Icon = isCopied ? IconCheck : IconCopy;
  return (
    <ActionIcon
      {...tip(isCopied ? 'Copied' : label)}
      size="sm"
      aria-label={isCopied ? 'Copied' : label}
      onClick={(event) => {
        event.stopPropagation();
        copy(value);
      }}
    >
      <Icon size={14} aria-hidden />
    </ActionIcon>
  );
}
