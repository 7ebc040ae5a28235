import { toJsonText } from '../../src/model/json.ts';
import type { ItemQuery, NamespaceQuery, StoreItem, StorePort } from '../../src/store/port.ts';

export interface OpenStore {
  port: StorePort;
  close: () => Promise<void>;
}

/** A store for tests; each works below its own root label, so that the database is opened once. */
export class StoreAccess {
  readonly port: StorePort;
  readonly close: () => Promise<void>;
  root = '';
  #roots = 0;

  constructor({ port, close }: OpenStore) {
    this.port = port;
    this.close = close;
  }

  /** Continues below a new root. */
  begin(): void {
    this.#roots += 1;
    this.root = `t${this.#roots}`;
  }

  put(namespace: string[], key: string, value: unknown = null, metadata?: object): Promise<void> {
    return this.port.put({
      namespace: [this.root, ...namespace],
      key,
      value: toJsonText(value),
      owner: 'ann',
      ...(metadata && { metadata: toJsonText(metadata) }),
    });
  }

  get(namespace: string[], key: string): Promise<StoreItem | undefined> {
    return this.port.get({ namespace: [this.root, ...namespace], key });
  }

  /** What is found, as `label/label/key` below the root. */
  async search(prefix: string[], query: Partial<ItemQuery> = {}) {
    const asked = { limit: 100, offset: 0, ...query, prefix: [this.root, ...prefix] };
    const { items, ...page } = await this.port.search(asked);
    return {
      ...page,
      found: items.map(({ namespace, key }) => [...namespace.slice(1), key].join('/')),
    };
  }

  /** The paths below the root, as `label/label`. */
  async namespaces(query: Partial<NamespaceQuery> = {}) {
    const { conditions = [], ...rest } = query;
    const below = { at: 'prefix' as const, labels: [this.root] };
    const asked = { limit: 100, offset: 0, ...rest, conditions: [below, ...conditions] };
    const { items, total } = await this.port.listNamespaces(asked);
    return { total, found: items.map((labels) => labels.slice(1).join('/')) };
  }
}
