import { ActionIcon, TextInput } from '@mantine/core';
import { IconSearch, IconX } from '@tabler/icons-react';
import { type ReactNode, type Ref, useEffect, useRef, useState } from 'react';

interface SearchFieldProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  /** A whole run id was entered. */
  readonly onId: (runId: string) => void;
  readonly inputRef: Ref<HTMLInputElement>;
}

/** Between two letters of a word a search would only be in the way. */
const pauseMs = 200;

const runId = /^.+_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Searches as one types; a run's id and Enter open it. */
export function SearchField({ text, onText, onId, inputRef }: SearchFieldProps): ReactNode {
  const [typed, setTyped] = useState(text);
  const [shown, setShown] = useState(text);
  // Another filter was chosen: a view, or the page before.
  if (text !== shown) {
    setShown(text);
    if (text !== typed.trim()) setTyped(text);
  }
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = (next: string, afterMs: number): void => {
    setTyped(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onText(next.trim()), afterMs);
  };
  return (
    <TextInput
      ref={inputRef}
      flex="1 1 220px"
      maw={420}
      value={typed}
      placeholder="Search input, output, errors, messages, or a run id"
      aria-label="Search runs"
      maxLength={1_000}
      leftSection={<IconSearch size={14} aria-hidden />}
      rightSection={
        typed !== '' && (
          <ActionIcon size="xs" aria-label="Clear the search" onClick={() => change('', 0)}>
            <IconX size={12} aria-hidden />
          </ActionIcon>
        )
      }
      onChange={(event) => change(event.currentTarget.value, pauseMs)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && runId.test(typed.trim())) onId(typed.trim());
        else if (event.key === 'Enter') change(typed, 0);
        else if (event.key === 'Escape') event.currentTarget.blur();
      }}
    />
  );
}
