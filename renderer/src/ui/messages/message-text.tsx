import { lazy, type ReactNode, Suspense } from 'react';

interface MessageTextProps {
  readonly text: string;
}

/** Beyond that, marks are not worth the time they take. */
const longest = 100_000;

function PlainText({ text }: MessageTextProps): ReactNode {
  return <div className="message-plain">{text}</div>;
}

// Fetched beside the page that shows messages. Where that fails the words still count, and the page stays.
const fetched = import('./markdown.tsx').then(
  ({ Markdown }) => ({ default: Markdown }),
  () => ({ default: PlainText }),
);
const Markdown = lazy(() => fetched);

/** A message's text as markdown; as plain text until that has come, and when it is very long. */
export function MessageText({ text }: MessageTextProps): ReactNode {
  if (text.length > longest) return <PlainText text={text} />;
  return (
    <Suspense fallback={<PlainText text={text} />}>
      <Markdown text={text} />
    </Suspense>
  );
}
