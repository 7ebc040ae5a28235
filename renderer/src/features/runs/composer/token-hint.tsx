import { Menu } from '@mantine/core';
import type { ReactNode } from 'react';

/** Explains the token that a copied request reads from its environment. */
export function TokenHint(): ReactNode {
  return (
    <Menu.Label maw={280}>
      Reads SERVICE_TOKEN from the environment. The command palette copies the token.
    </Menu.Label>
  );
}
