import { lazy, type ReactNode, Suspense } from 'react';

interface MessageTextProps {
  readonly text: string;
}

/** Longer texts take too long to parse as Markdown. */
const longest = 100_000;

function PlainText({ text }: MessageTextProps): ReactNode {
  return <div className="message-plain">{text}</div>;
}

// Fetched in parallel with the page that shows messages. If that fails, the plain text is shown.
const fetched = import('./markdown.tsx').then(
  ({ Markdown }) => ({ default: Markdown }),
  () => ({ default: PlainText }),
);
const Markdown = lazy(() => fetched);

/** A message's text as Markdown; as plain text until that is loaded, and when it is very long. */
export function MessageText({ text }: MessageTextProps): ReactNode {
  if (text.length > longest) return <PlainText text={text} />;
  return (
    <Suspense fallback={<PlainText text={text} />}>
      <Markdown text={text} />
    </Suspense>
  );
}
