// The table of every endpoint and member of an API, from its document and from what requests were answered.

/** One request that fits the document, as record_requests.py writes it. */
export interface SentRequest {
  readonly method: string;
  readonly path: string;
  /** Those of the body and of the query that were given. */
  readonly members: readonly string[];
  readonly status: number;
  /** The members of its JSON. */
  readonly answer: readonly string[];
}

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
}

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Rows of Markdown: endpoint, its state, the members that it took, those that it did not, those that no answer had. */
export function apiTable(document: ApiDocument, sent: readonly SentRequest[]): string {
  const rows = Object.entries(document.paths).flatMap(([path, operations]) =>
    methods.flatMap((method) => {
      const operation = operations[method];
      return operation === undefined ? [] : [rowOf(document, { method, path, operation }, sent)];
    }),
  );
  return [
    '| endpoint | state | took | did not take | not in its answers |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

function rowOf(document: ApiDocument, endpoint: Endpoint, sent: readonly SentRequest[]): string {
  const { path, operation } = endpoint;
  const method = endpoint.method.toUpperCase();
  const requests = sent.filter((one) => one.path === path && one.method === method);
  const good = requests.filter(({ status }) => status < 300);
  const taken = new Set(good.flatMap(({ members }) => members));
  const answered = new Set(good.flatMap(({ answer }) => answer));
  const known = requestMembers(document, operation);
  const cells = [
    `\`${method} ${path}\``,
    stateOf(requests),
    known.filter((name) => taken.has(name)),
    good.length === 0 ? [] : known.filter((name) => !taken.has(name)),
    answered.size === 0
      ? []
      : answerMembers(document, operation).filter((name) => !answered.has(name)),
  ];
  return `| ${cells.map((cell) => (typeof cell === 'string' ? cell : list(cell))).join(' | ')} |`;
}

function stateOf(requests: readonly SentRequest[]): string {
  if (requests.length === 0) return 'not played';
  const statuses = [...new Set(requests.map(({ status }) => status))].toSorted((a, b) => a - b);
  return statuses.some((status) => status < 300) ? 'works' : statuses.join(', ');
}

function requestMembers(document: ApiDocument, operation: Operation): string[] {
  const query = (operation.parameters ?? []).filter((one) => one.in === 'query');
  const body = operation.requestBody?.content['application/json']?.schema;
  return [...new Set([...membersOf(document, body), ...query.map(({ name }) => name)])];
}

function answerMembers(document: ApiDocument, { responses }: Operation): string[] {
  return membersOf(document, responses['200']?.content?.['application/json']?.schema);
}

/** The members of an object, of each element of a list, and of all parts of both. */
function membersOf(document: ApiDocument, schema: Schema | undefined): string[] {
  if (schema === undefined) return [];
  const named = schema.$ref?.split('/').at(-1);
  if (named !== undefined) return membersOf(document, document.components.schemas[named]);
  const parts = (schema.allOf ?? []).flatMap((part) => membersOf(document, part));
  return [...Object.keys(schema.properties ?? {}), ...membersOf(document, schema.items), ...parts];
}

function list(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}
