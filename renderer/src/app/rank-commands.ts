import type { Command } from '../ui/commands.ts';

/** The commands that have every word of the query, those that start with it first. */
export function rankCommands(commands: readonly Command[], query: string): Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...commands];
  return commands
    .flatMap((command) => {
      const text = `${command.label} ${command.group}`.toLowerCase();
      if (!words.every((word) => text.includes(word))) return [];
      const isStart = words.every((word) => new RegExp(`\\b${escape(word)}`).test(text));
      return [{ command, rank: text.startsWith(words.join(' ')) ? 0 : isStart ? 1 : 2 }];
    })
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ command }) => command);
}

function escape(word: string): string {
  return word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
