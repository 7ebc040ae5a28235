import { expect, it } from 'vitest';
import { createLinkOpener } from './external-links.ts';

function open({ isConfirmed }: { isConfirmed: boolean }) {
  const asked: string[] = [];
  const opened: string[] = [];
  let answer = (): void => undefined;
  const answered = new Promise<boolean>((resolve) => (answer = () => resolve(isConfirmed)));
  const openLink = createLinkOpener({
    ask: ({ detail }) => {
      asked.push(detail);
      return answered;
    },
    open: async (url) => void opened.push(url),
  });
  return { asked, opened, openLink, answer };
}

it('opens a link in the browser when its address was confirmed', async () => {
  const { asked, opened, openLink, answer } = open({ isConfirmed: true });
  answer();
  await openLink('https://example.org/a?b=c');
  expect([asked, opened]).toEqual([['https://example.org/a?b=c'], ['https://example.org/a?b=c']]);
});

it('opens nothing unconfirmed, and asks one question at a time', async () => {
  const { asked, opened, openLink, answer } = open({ isConfirmed: false });
  const first = openLink('https://example.org/1');
  await openLink('https://example.org/2');
  answer();
  await first;
  expect([asked, opened]).toEqual([['https://example.org/1'], []]);
});

it.each(['file:///etc/passwd', 'vscode://file/a', 'javascript:alert(1)', 'no link'])(
  'ignores %s',
  async (url) => {
    const { asked, openLink } = open({ isConfirmed: true });
    await openLink(url);
    expect(asked).toEqual([]);
  },
);
