import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { Link } from 'react-router';
import { expect, test } from 'vitest';
import { renderRoutes } from '../test/render-page.tsx';
import { ListButton } from './folded-list.tsx';
import { SplitPane } from './split-pane.tsx';

/** In the tests every element is 800 pixels wide. */
function openPage({ narrowBelow }: { narrowBelow: number }) {
  const element = (
    <SplitPane
      {...{ name: 'threads', label: 'Width of the list', list: 'threads' }}
      {...{ initial: 300, min: 200, max: 400, narrow: 'second', narrowBelow }}
      first={<Link to="/threads/next">the next one</Link>}
      second={
        <header>
          <ListButton /> one thread
        </header>
      }
    />
  );
  return renderRoutes([{ path: '/threads/:id', element }], '/threads/one');
}
const button = () => screen.queryByRole('button', { name: 'Show the threads' });
const list = () => screen.queryByRole('dialog', { name: 'All threads' });

test('a wide window has the list beside the page, and no button for it', async () => {
  openPage({ narrowBelow: 700 });
  expect(await screen.findByText('the next one')).toBeVisible();
  expect(button()).toBeNull();
});

test('a narrow window folds the list away, and a button in the header shows it', async () => {
  const { router } = openPage({ narrowBelow: 950 });
  await screen.findByText('one thread');
  expect(screen.queryByText('the next one')).toBeNull();
  await userEvent.click(await screen.findByRole('button', { name: 'Show the threads' }));
  expect(list()).toBeVisible();
  await userEvent.keyboard('{Escape}');
  expect(list()).toBeNull();
  expect(document.activeElement).toBe(button());

  await userEvent.keyboard('{Enter}');
  await userEvent.click(await screen.findByText('the next one'));
  expect(router.state.location.pathname).toBe('/threads/next');
  expect(list()).toBeNull();
});
