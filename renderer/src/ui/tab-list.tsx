import type { KeyboardEvent, ReactNode } from 'react';

/** One tab of a list. */
export interface Tab<Name extends string> {
  readonly name: Name;
  readonly label: string;
  readonly isDisabled?: boolean;
  readonly title?: string | undefined;
}

interface TabListProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Name>[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
  readonly className?: string;
}

/** Tabs of which one is chosen. The list is one stop of the Tab key; arrows, Home and End move within it. */
export function TabList<Name extends string>(props: TabListProps<Name>): ReactNode {
  const { label, tabs, chosen, onChoose, className } = props;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const possible = tabs.filter(({ isDisabled }) => isDisabled !== true);
    const at = possible.findIndex(({ name }) => name === chosen);
    const wanted: Readonly<Record<string, number>> = {
      ArrowLeft: (at + possible.length - 1) % possible.length,
      ArrowRight: (at + 1) % possible.length,
      Home: 0,
      End: possible.length - 1,
    };
    const next = possible[wanted[event.key] ?? -1];
    if (next === undefined) return;
    event.preventDefault();
    onChoose(next.name);
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${next.name}"]`)?.focus();
  };
  return (
    <div className={className} role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map(({ name, label: text, isDisabled, title }) => (
        <button
          type="button"
          key={name}
          role="tab"
          data-tab={name}
          aria-selected={name === chosen}
          tabIndex={name === chosen ? 0 : -1}
          disabled={isDisabled}
          title={title}
          onClick={() => onChoose(name)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
