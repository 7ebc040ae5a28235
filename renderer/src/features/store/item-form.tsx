import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { putStoreItem } from '../../api/generated/sdk.gen.ts';
import type { StoreItem } from '../../api/generated/types.gen.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { JsonEditor } from '../../ui/json/json-editor.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { storeKey } from './store-queries.ts';
import { isRecord } from '../../api/json-record.ts';

interface ItemFormProps {
  /** As it was last read; undefined for a new one. */
  readonly item: StoreItem | undefined;
  /** Why it could not be read again. */
  readonly readError?: Error | null;
  /** The initial path of a new item. */
  readonly namespace: readonly string[];
  readonly onSaved: (item: { namespace: readonly string[]; key: string }) => void;
  readonly onDelete?: () => void;
  readonly onCancel?: () => void;
}

/** An item's value and metadata, to read and to change; or a new item. */
export function ItemForm({
  item,
  readError = null,
  namespace,
  onSaved,
  onDelete,
  onCancel,
}: ItemFormProps): ReactNode {
  const client = useQueryClient();
  const [path, setPath] = useState(namespace.join(' / '));
  const [key, setKey] = useState(item?.key ?? '');
  // What is edited stays when the item is read again: another client may have changed it.
  const [base, setBase] = useState<Content>(item ?? { value: {}, metadata: {} });
  const [value, setValue] = useState(() => printed(base.value));
  const [metadata, setMetadata] = useState(() => printed(base.metadata));
  const show = (content: Content): void => {
    setBase(content);
    setValue(printed(content.value));
    setMetadata(printed(content.metadata));
  };
  const labels = item?.namespace ?? path.split('/').map((label) => label.trim());
  const newValue = parsed(value);
  const newMetadata = parsed(metadata);
  const metadataProblem =
    newMetadata === undefined || isRecord(newMetadata.json) ? undefined : 'Metadata is an object.';
  const pathProblem =
    item === undefined && labels.some((label) => label === '' || label.includes('.'))
      ? 'Labels with / between, none empty, none with a dot'
      : undefined;
  const isChanged =
    item === undefined || !isSame(newValue, base.value) || !isSame(newMetadata, base.metadata);
  const hasMoved = item !== undefined && printed(contentOf(item)) !== printed(contentOf(base));
  if (hasMoved && !isChanged) show(item);
  const canSave =
    isChanged &&
    key !== '' &&
    pathProblem === undefined &&
    newValue !== undefined &&
    newMetadata !== undefined &&
    isRecord(newMetadata.json);

  const save = useMutation({
    mutationFn: async () => {
      await putStoreItem({
        query: { namespace: [...labels], key },
        body: {
          value: newValue?.json,
          metadata: isRecord(newMetadata?.json) ? newMetadata.json : {},
        },
        throwOnError: true,
      });
    },
    onSuccess: async () => {
      if (newValue !== undefined && isRecord(newMetadata?.json)) {
        setBase({ value: newValue.json, metadata: newMetadata.json });
      }
      await client.invalidateQueries({ queryKey: [storeKey] });
      onSaved({ namespace: labels, key });
    },
  });

  return (
    <section className="pane" aria-label={item === undefined ? 'New item' : 'Item'}>
      {item === undefined ? (
        <div className="store-item-fields">
          <TextInput
            label="Namespace"
            placeholder="users / 42"
            value={path}
            error={path === '' ? undefined : pathProblem}
            onChange={(event) => setPath(event.currentTarget.value)}
          />
          <TextInput
            label="Key"
            value={key}
            onChange={(event) => setKey(event.currentTarget.value)}
          />
        </div>
      ) : (
        <header className="store-item-head detail-head small">
          <h2 className="mono">
            <span className="dim">{item.namespace.join(' / ')} / </span>
            {item.key}
          </h2>
          <span className="dim">
            created <TimeAgo time={item.created_at} />, updated <TimeAgo time={item.updated_at} />
          </span>
        </header>
      )}
      <div className="store-item-value">
        <JsonEditor label="Value" text={value} onChange={setValue} />
      </div>
      <div className="store-item-metadata">
        <JsonEditor
          label="Metadata"
          text={metadata}
          onChange={setMetadata}
          error={metadataProblem}
        />
      </div>
      {readError !== null && (
        <ErrorView error={readError} title="The item could not be read again" compact />
      )}
      {hasMoved && (
        <p className="note" role="status">
          The item has changed since you started. Saving replaces it with what is here.
          <Button size="compact-xs" onClick={() => show(item)}>
            Show the current item
          </Button>
        </p>
      )}
      {save.error !== null && (
        <ErrorView error={save.error} title="The item could not be stored" compact />
      )}
      <footer className="pane-foot">
        {onDelete !== undefined && <Button onClick={onDelete}>Delete</Button>}
        <span className="grow" />
        {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
        {item !== undefined && isChanged && (
          <Button onClick={() => show(item)}>Discard changes</Button>
        )}
        <Button
          variant="filled"
          disabled={!canSave}
          loading={save.isPending}
          onClick={() => save.mutate()}
        >
          {item === undefined ? 'Create item' : 'Save'}
        </Button>
      </footer>
    </section>
  );
}

type Content = Pick<StoreItem, 'value' | 'metadata'>;

function contentOf({ value, metadata }: Content): Content {
  return { value, metadata };
}

function isSame(edited: { readonly json: unknown } | undefined, before: unknown): boolean {
  return edited !== undefined && printed(edited.json) === printed(before);
}

function printed(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function parsed(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
