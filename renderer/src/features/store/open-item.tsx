import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { getStoreItem } from '../../api/generated/sdk.gen.ts';
import type { StoreItem } from '../../api/generated/types.gen.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { PageSkeleton } from '../../ui/page-skeleton.tsx';
import { ItemForm } from './item-form.tsx';
import { storeKey } from './store-queries.ts';

interface OpenItemProps {
  readonly namespace: readonly string[];
  readonly itemKey: string;
  readonly onDelete: (item: StoreItem) => void;
}

/** The item of the URL. */
export function OpenItem({ namespace, itemKey, onDelete }: OpenItemProps): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: [storeKey, 'item', namespace, itemKey],
    queryFn: async ({ signal }) => {
      const query = { namespace: [...namespace], key: itemKey };
      return (await getStoreItem({ query, signal, throwOnError: true })).data;
    },
    retry: false,
  });
  if (data === undefined) {
    if (error === null) return <PageSkeleton label="Reading the item" />;
    return (
      <ErrorView error={error} title="The item could not be read" onRetry={() => void refetch()} />
    );
  }
  return (
    <ItemForm
      item={data}
      readError={error}
      namespace={data.namespace}
      onSaved={() => void refetch()}
      onDelete={() => onDelete(data)}
    />
  );
}
