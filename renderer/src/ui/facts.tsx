import { DataList } from '@mantine/core';
import type { ReactNode } from 'react';
import './facts.css';

interface FactsProps {
  readonly children: ReactNode;
  /** One after the other on a line, instead of one below the other. */
  readonly isLine?: boolean;
  /** The width of the names. */
  readonly names?: number;
}

/** Names with their values. */
export function Facts({ children, isLine = false, names = 88 }: FactsProps): ReactNode {
  return (
    <DataList className={isLine ? 'facts-line' : 'facts'} labelWidth={isLine ? 0 : names} gap={2}>
      {children}
    </DataList>
  );
}

/** One of them. */
export function Fact({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <DataList.Item>
      <DataList.ItemLabel>{name}</DataList.ItemLabel>
      <DataList.ItemValue>{children}</DataList.ItemValue>
    </DataList.Item>
  );
}
