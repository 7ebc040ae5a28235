import { useMantineColorScheme } from '@mantine/core';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { desktop } from '../desktop.ts';
import { useLayout } from '../state/layout.ts';
import { type Command, offeredCommands, useCommands } from '../ui/commands.ts';
import { createKeySequence, isTyping } from '../ui/key-presses.ts';
import { KeySheet } from './key-sheet.tsx';
import { palette } from './palette-store.ts';
import { lowerRailItems, railItems } from './rail.tsx';

/** Offers the commands of every page, and listens to the keyboard for all commands. */
export function FrameCommands({ commands }: { commands: readonly Command[] }): ReactNode {
  const navigate = useNavigate();
  const { toggleColorScheme } = useMantineColorScheme();
  const toggleTimeStyle = useLayout((state) => state.toggleTimeStyle);
  const [isSheetOpen, setSheetOpen] = useState(false);
  const own = useMemo<readonly Command[]>(
    () => [
      ...[...railItems, ...lowerRailItems].map(({ to, label, keys }): Command => ({
        id: `go:${to}`,
        label: `Go to ${label.toLowerCase()}`,
        group: 'Go to',
        ...(keys === undefined ? {} : { keys }),
        run: (context) => context.navigate(to),
      })),
      {
        id: 'palette',
        label: 'Search or run a command',
        keys: 'mod+k',
        group: 'Studio',
        keysOnly: true,
        run: () => palette.open(),
      },
      {
        id: 'theme',
        label: 'Switch between dark and light',
        keys: 'g m',
        group: 'Studio',
        run: toggleColorScheme,
      },
      {
        id: 'times',
        label: 'Switch between relative and UTC times',
        group: 'Studio',
        run: toggleTimeStyle,
      },
      {
        id: 'keys',
        label: 'Show all keys',
        keys: '?',
        group: 'Studio',
        run: () => setSheetOpen(true),
      },
    ],
    [toggleColorScheme, toggleTimeStyle],
  );
  useCommands([...own, ...commands]);

  useEffect(() => {
    const commandOf = createKeySequence();
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return;
      const isChord = event.ctrlKey || event.metaKey;
      if (!isChord && isTyping(event.target)) return;
      const command = commandOf(event, offeredCommands());
      if (command === undefined) return;
      event.preventDefault();
      command.run({ navigate: (to) => void navigate(to) });
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [navigate]);

  // The desktop's menu navigates to the same pages.
  useEffect(
    () =>
      desktop?.app.onCommand((target) => {
        if (target === 'palette') palette.open();
        else void navigate(target);
      }),
    [navigate],
  );

  return <KeySheet isOpen={isSheetOpen} onClose={() => setSheetOpen(false)} />;
}
