import { Button, Menu } from '@mantine/core';
import { IconCode } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useCopied } from '../../../ui/copied.ts';
import { bodyOf, type Draft } from './composer-draft.ts';
import { runSnippet, snippetLanguages, snippetNames } from './snippets.ts';
import { TokenHint } from './token-hint.tsx';
import { useDestination } from './use-destination.ts';

/** Copies the request of a draft instead of sending it. */
export function ComposerSnippet(props: { threadId: string | null; draft: Draft }): ReactNode {
  const { threadId, draft } = props;
  const destination = useDestination();
  const { isCopied, copy } = useCopied();
  const result = bodyOf(draft);
  return (
    <Menu position="top-start">
      <Menu.Target>
        <Button disabled={'problems' in result} leftSection={<IconCode size={14} aria-hidden />}>
          {isCopied ? 'Copied' : 'Copy as'}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {'body' in result &&
          snippetLanguages.map((language) => (
            <Menu.Item
              key={language}
              onClick={() =>
                copy(
                  runSnippet(language, {
                    ...destination,
                    threadId,
                    body: result.body,
                    wait: draft.wait,
                  }),
                )
              }
            >
              {snippetNames[language]}
            </Menu.Item>
          ))}
        {destination.needsToken && <TokenHint />}
      </Menu.Dropdown>
    </Menu>
  );
}
