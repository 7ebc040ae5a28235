import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ApiError } from '../../api/errors.ts';
import { deleteStoreItem } from '../../api/generated/sdk.gen.ts';
import type { StoreItem } from '../../api/generated/types.gen.ts';
import { useServiceUrl } from '../../api/queries/service-url.ts';
import { fetchAsCurrentPrincipal } from '../../api/service-fetch.ts';
import { useCommands } from '../../ui/commands.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorView } from '../../ui/error-view.tsx';
import { PageSkeleton } from '../../ui/page-skeleton.tsx';
import { SplitPane } from '../../ui/split-pane.tsx';
import { offerUndo } from '../../ui/undo.tsx';
import { ItemForm } from './item-form.tsx';
import { itemId, ItemList } from './item-list.tsx';
import { NamespaceList } from './namespace-list.tsx';
import { OpenItem } from './open-item.tsx';
import { StoreOff } from './store-off.tsx';
import './store.css';
import { namespacesQuery, storeKey } from './store-queries.ts';
import { useStoreParams } from './store-params.ts';

/** The key-value store: its namespaces, the items in them, and one item. */
export function Component(): ReactNode {
  const { data, error, refetch } = useQuery(namespacesQuery);
  if (error instanceof ApiError && error.code === 'store_disabled') return <StoreOff />;
  if (error !== null && data === undefined)
    return (
      <ErrorView error={error} title="The store could not be read" onRetry={() => void refetch()} />
    );
  if (data === undefined) return <PageSkeleton label="Reading the store" />;
  return <StoreBrowser paths={data} />;
}

function StoreBrowser({ paths }: { paths: readonly (readonly string[])[] }): ReactNode {
  const serviceUrl = useServiceUrl();
  const [params, go] = useStoreParams();
  const { hidden, remove } = useRemoval(() => go({ item: undefined }));
  const create = (): void => go({ isNew: true, item: undefined });
  const isOpen = params.isNew || params.item !== undefined;
  const close = (): void => go({ item: undefined, isNew: false });
  useCommands([
    { id: 'store.new', label: 'New store item', keys: 'n', group: 'Store', run: create },
  ]);
  const openItem = ({ namespace, key }: { namespace: readonly string[]; key: string }): void =>
    go({ item: { namespace, key }, isNew: false });

  const items = (
    <ItemList
      params={params}
      hidden={hidden}
      onOpen={openItem}
      onFilter={(filter) => go({ filter })}
    />
  );
  return (
    <div className="pane">
      <header className="pane-head">
        <h1>Store</h1>
        <span className="dim">
          {paths.length} {paths.length === 1 ? 'namespace' : 'namespaces'}
        </span>
        <span className="grow" />
        <Button leftSection={<IconPlus size={14} />} onClick={create}>
          New item
        </Button>
      </header>
      <SplitPane
        name="store-namespaces"
        label="Width of the namespaces"
        initial={240}
        min={160}
        max={400}
        narrow={isOpen ? 'second' : undefined}
        first={
          <NamespaceList
            paths={paths}
            current={params.namespace}
            onChoose={(namespace) => go({ namespace, item: undefined, isNew: false })}
          />
        }
        second={
          <SplitPane
            name="store-items"
            label="Width of the items"
            initial={380}
            min={240}
            max={640}
            narrow={isOpen || paths.length === 0 ? 'second' : 'first'}
            narrowBelow={700}
            {...(isOpen && { back: { label: 'All items', go: close } })}
            first={
              paths.length === 0 && !params.isNew ? <p className="hint">No items yet.</p> : items
            }
            second={
              params.isNew ? (
                <ItemForm
                  item={undefined}
                  namespace={params.namespace}
                  onSaved={openItem}
                  onCancel={close}
                />
              ) : params.item !== undefined ? (
                <OpenItem
                  key={itemId({ ...params.item, namespace: [...params.item.namespace] })}
                  namespace={params.item.namespace}
                  itemKey={params.item.key}
                  onDelete={remove}
                />
              ) : (
                <EmptyState
                  title={paths.length === 0 ? 'The store is empty' : 'No item is open'}
                  text="Agents put items here through LangGraph’s store; so can you."
                  action={<Button onClick={create}>New item</Button>}
                  curl={`curl -X PUT '${serviceUrl}/store/items?namespace=users.42&key=name' -H 'Content-Type: application/json' -d '{"value": "Ada"}'`}
                />
              )
            }
          />
        }
      />
    </div>
  );
}

/** Deletes after ten seconds in which it can be undone: until then the item is only hidden. */
function useRemoval(onRemoved: () => void): {
  hidden: ReadonlySet<string>;
  remove: (item: StoreItem) => void;
} {
  const client = useQueryClient();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const show = (id: string): void =>
    setHidden((all) => new Set([...all].filter((one) => one !== id)));
  return {
    hidden,
    remove: (item) => {
      const id = itemId(item);
      setHidden((all) => new Set(all).add(id));
      onRemoved();
      const asNow = fetchAsCurrentPrincipal();
      offerUndo({
        label: `Item ${item.key} deleted`,
        failed: `The item ${item.key} could not be deleted`,
        undo: () => show(id),
        commit: async () => {
          const query = { namespace: item.namespace, key: item.key };
          await deleteStoreItem({ query, fetch: asNow, keepalive: true, throwOnError: true });
          await client.invalidateQueries({ queryKey: [storeKey] });
          show(id);
        },
      });
    },
  };
}
