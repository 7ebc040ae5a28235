import { ActionIcon, VisuallyHidden } from '@mantine/core';
import {
  IconCheck,
  IconChevronsDown,
  IconChevronsUp,
  IconCopy,
  IconSearch,
} from '@tabler/icons-react';
import { useEffect, useState, type ReactNode } from 'react';
import { formatSize } from '../format.ts';

interface JsonBarProps {
  readonly label: string;
  readonly path: string;
  readonly size?: number | undefined;
  readonly copy: () => Promise<string> | string;
  readonly search?: (() => void) | undefined;
  readonly foldAll?: (() => void) | undefined;
  readonly unfoldAll?: (() => void) | undefined;
  readonly children?: ReactNode;
}

/** The line above a JSON value: its label, the path of the cursor, its size, its actions. */
export function JsonBar(props: JsonBarProps): ReactNode {
  const { label, path, size, search, foldAll, unfoldAll } = props;
  return (
    <div className="json-bar row dim small">
      <span className="json-bar-label">{label}</span>
      <span className="clip grow mono" title={path}>
        {path}
      </span>
      {props.children}
      {size !== undefined && <span className="mono">{formatSize(size)}</span>}
      {search && (
        <JsonButton name={`Search in ${label}`} onClick={search}>
          <IconSearch size={14} />
        </JsonButton>
      )}
      {foldAll && (
        <JsonButton name={`Fold ${label}`} onClick={foldAll}>
          <IconChevronsUp size={14} />
        </JsonButton>
      )}
      {unfoldAll && (
        <JsonButton name={`Unfold ${label}`} onClick={unfoldAll}>
          <IconChevronsDown size={14} />
        </JsonButton>
      )}
      <CopyJson label={label} copy={props.copy} />
    </div>
  );
}

interface JsonButtonProps {
  readonly name: string;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

function JsonButton({ name, onClick, children }: JsonButtonProps): ReactNode {
  return (
    <ActionIcon size={22} aria-label={name} title={name} onClick={onClick}>
      {children}
    </ActionIcon>
  );
}

function CopyJson({ label, copy }: Pick<JsonBarProps, 'label' | 'copy'>): ReactNode {
  const [result, setResult] = useState<'copied' | 'failed'>();
  useEffect(() => {
    if (result === undefined) return undefined;
    const timer = setTimeout(() => setResult(undefined), 1500);
    return () => clearTimeout(timer);
  }, [result]);
  const run = async (): Promise<void> => navigator.clipboard.writeText(await copy());
  return (
    <>
      <JsonButton
        name={`Copy ${label}`}
        onClick={() => {
          run().then(
            () => setResult('copied'),
            () => setResult('failed'),
          );
        }}
      >
        {result === 'copied' ? <IconCheck size={14} /> : <IconCopy size={14} />}
      </JsonButton>
      <span role="status">
        {result === 'failed' && <span className="is-error">Copying was refused</span>}
        {result === 'copied' && <VisuallyHidden>Copied</VisuallyHidden>}
      </span>
    </>
  );
}
