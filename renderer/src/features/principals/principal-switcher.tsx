import { Button, Menu } from '@mantine/core';
import { IconChevronDown, IconUser } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { usePrincipal } from '../../state/principal.ts';
import { strippedClaims, subjectOf } from './claims.ts';
import './principals.css';
import { testModeIsOff, useTestMode } from './test-mode.ts';
import { useSwitchPrincipal } from './use-switch.ts';
import { useTestPrincipals } from './test-principals.ts';
import { tip } from '../../ui/tip.tsx';

/** The principal that requests are sent as, and a menu to change it. */
export function PrincipalSwitcher(): ReactNode {
  const { principals, active } = usePrincipal();
  const choose = useSwitchPrincipal();
  const isTestMode = useTestMode();
  const [isOpen, setOpen] = useState(false);
  const isOff = isTestMode === false;
  const { offered, adopt } = useTestPrincipals(isOpen && !isOff);
  const chosen = principals.find(({ name }) => name === active);
  const shown = isOff ? 'as connected' : (chosen?.name ?? 'anonymous');
  return (
    <Menu position="bottom-end" width={280} opened={isOpen} onChange={setOpen}>
      <Menu.Target>
        <Button
          {...tip(isOff ? testModeIsOff : 'Who requests are sent as')}
          variant="subtle"
          color="gray"
          leftSection={<IconUser size={14} aria-hidden />}
          rightSection={<IconChevronDown size={12} aria-hidden />}
          aria-label={`Principal: ${shown}`}
        >
          <span className="principal-name clip">{shown}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {isOff ? (
          <p className="hint small">{testModeIsOff}</p>
        ) : (
          <Menu.RadioGroup
            value={chosen?.name ?? ''}
            onChange={(name) => choose(name === '' ? null : name)}
          >
            <Menu.RadioItem value="" closeMenuOnClick>
              anonymous
            </Menu.RadioItem>
            {principals.map(({ name, claims }) => (
              <Menu.RadioItem key={name} value={name} closeMenuOnClick>
                <span className="principal-choice row">
                  <span title={name}>{name}</span>
                  {subjectOf(claims) !== name && (
                    <span className="clip dim mono">{subjectOf(claims)}</span>
                  )}
                </span>
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
        )}
        {!isOff && offered.length > 0 && (
          <>
            <Menu.Divider />
            <Menu.Label>Of the policy tests</Menu.Label>
            {offered.map((offer) => (
              <Menu.Item key={offer.name} onClick={() => choose(adopt(offer))}>
                <span className="principal-choice row">
                  <span title={offer.name}>{offer.name}</span>
                  <span className="clip dim">{offer.suite}</span>
                </span>
              </Menu.Item>
            ))}
            {offered.some(({ claims }) => strippedClaims(claims).length > 0) && (
              <p className="hint small">
                Roles and groups are not sent in test mode; what a principal may do with them is on
                the page Access.
              </p>
            )}
          </>
        )}
        <Menu.Divider />
        <Menu.Item component={Link} to="/principals">
          Edit principals…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
