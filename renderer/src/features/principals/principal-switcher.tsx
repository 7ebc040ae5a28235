import { Button } from '@mantine/core';
import { IconUser } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { usePrincipal } from '../../state/principal.ts';

/** Who requests are sent as; leads to the page of principals. */
export function PrincipalSwitcher(): ReactNode {
  const active = usePrincipal((state) => state.active);
  return (
    <Button
      component={Link}
      to="/principals"
      variant="subtle"
      color="gray"
      leftSection={<IconUser size={14} />}
    >
      {active ?? 'anonymous'}
    </Button>
  );
}
