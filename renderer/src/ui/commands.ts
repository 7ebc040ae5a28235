import { useEffect, useLayoutEffect, useRef } from 'react';
import { create } from 'zustand';

/** What a command may do to the application. */
export interface CommandContext {
  navigate(to: string): void;
}

/** An action of the palette or of a key. */
export interface Command {
  readonly id: string;
  /** Verb first, sentence case: "New thread". */
  readonly label: string;
  /** `r`, `g t` (one after the other), `mod+k`, `?`. `mod` is Ctrl, or Cmd on a Mac. */
  readonly keys?: string;
  /** Its heading in the palette and in the sheet of keys. */
  readonly group: string;
  /** Hidden from the palette: movement such as `j` makes no sense there. */
  readonly keysOnly?: boolean;
  /** In the palette only when its name is typed: there are many of its kind. */
  readonly isOnlyFound?: boolean;
  run(context: CommandContext): void;
}

interface Registry {
  readonly layers: ReadonlyMap<symbol, readonly Command[]>;
}

const useRegistry = create<Registry>()(() => ({ layers: new Map() }));

/** Registers commands while the calling component is mounted. The newest component's keys win. */
export function useCommands(commands: readonly Command[]): void {
  const latest = useRef(commands);
  // During rendering, not after it: a key may be pressed between the two.
  useLayoutEffect(() => {
    latest.current = commands;
  });
  // Registered again only when the list differs; what `run` closes over is always the newest.
  const shape = commands.map(({ id, label, keys = '' }) => `${id}|${label}|${keys}`).join('\n');
  useEffect(() => {
    const layer = Symbol();
    const stable = latest.current.map((command) => ({
      ...command,
      run: (context: CommandContext) =>
        latest.current.find(({ id }) => id === command.id)?.run(context),
    }));
    useRegistry.setState(({ layers }) => ({ layers: new Map(layers).set(layer, stable) }));
    return () =>
      useRegistry.setState(({ layers }) => {
        const rest = new Map(layers);
        rest.delete(layer);
        return { layers: rest };
      });
  }, [shape]);
}

/** Every registered command, the newest component's first; one per id. */
export function useOfferedCommands(): readonly Command[] {
  return flattened(useRegistry(({ layers }) => layers));
}

/** The same outside of rendering. */
export function offeredCommands(): readonly Command[] {
  return flattened(useRegistry.getState().layers);
}

let cached: { layers: Registry['layers']; commands: readonly Command[] } | undefined;

function flattened(layers: Registry['layers']): readonly Command[] {
  if (cached?.layers === layers) return cached.commands;
  const byId = new Map<string, Command>();
  for (const command of [...layers.values()].toReversed().flat()) {
    if (!byId.has(command.id)) byId.set(command.id, command);
  }
  cached = { layers, commands: [...byId.values()] };
  return cached.commands;
}
