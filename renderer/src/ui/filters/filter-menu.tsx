import { Menu, UnstyledButton } from '@mantine/core';
import { IconCheck, IconChevronDown } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { formatNumber } from '../format.ts';
import './filters.css';

interface FilterMenuProps {
  readonly label: string;
  /** The choices in their order. */
  readonly values: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  /** How many runs each would list; undefined where nothing is counted. */
  readonly counts?: Readonly<Record<string, number>> | undefined;
  readonly isCapped?: boolean;
  /** Only one at a time. */
  readonly isSingle?: boolean;
  /** A value as the button and the menu name it; absent: as it is. */
  readonly name?: (value: string) => string;
  readonly show?: (value: string) => ReactNode;
  readonly none?: string;
}

/** A filter with its choices, and the count of each. */
export function FilterMenu(props: FilterMenuProps): ReactNode {
  const { label, values, chosen, onChange, counts, isCapped = false, isSingle, show, none } = props;
  const { name = (value) => value } = props;
  const toggle = (value: string): void => {
    if (chosen.includes(value)) onChange(chosen.filter((one) => one !== value));
    else onChange(isSingle === true ? [value] : [...chosen, value]);
  };
  return (
    <Menu position="bottom-start" closeOnItemClick={isSingle === true}>
      <Menu.Target>
        <UnstyledButton
          className="filter-choice row small"
          data-chosen={chosen.length > 0 || undefined}
        >
          <span>{chosen.length === 0 ? label : `${label}: ${chosen.map(name).join(', ')}`}</span>
          <IconChevronDown size={12} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown miw={180}>
        <Menu.Item closeMenuOnClick onClick={() => onChange([])}>
          <MenuRow isChosen={chosen.length === 0}>Any</MenuRow>
        </Menu.Item>
        {values.map((value) => (
          <Menu.Item key={value} onClick={() => toggle(value)}>
            <MenuRow
              isChosen={chosen.includes(value)}
              count={counts && countOf(counts[value] ?? 0, isCapped)}
            >
              {show?.(value) ?? name(value)}
            </MenuRow>
          </Menu.Item>
        ))}
        {values.length === 0 && none !== undefined && <Menu.Label>{none}</Menu.Label>}
        {isCapped && <Menu.Label>Counted in the newest 10,000 runs</Menu.Label>}
      </Menu.Dropdown>
    </Menu>
  );
}

function countOf(count: number, isCapped: boolean): string {
  return isCapped && count > 0 ? `${formatNumber(count)}+` : formatNumber(count);
}

interface MenuRowProps {
  readonly isChosen: boolean;
  readonly count?: string | undefined;
  readonly children: ReactNode;
}

function MenuRow({ isChosen, count, children }: MenuRowProps): ReactNode {
  return (
    <span className="row" data-chosen={isChosen || undefined}>
      <span className="filter-menu-check">{isChosen && <IconCheck size={13} aria-hidden />}</span>
      <span className="clip grow">{children}</span>
      {count !== undefined && <span className="filter-menu-count dim small numeric">{count}</span>}
    </span>
  );
}
