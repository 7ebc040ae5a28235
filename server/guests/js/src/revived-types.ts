/*
 * A list decides what stored values become (`revivable_types.py`, `checkpoint_serde.py`; `revived-types.ts`,
 * `checkpoint-serializer.ts`; what is on it: [docs/compatibility.md](docs/compatibility.md#types-of-stored-values)):
 * LangGraph's serialisers call what a checkpoint names, and a checkpoint may have come in a bundle. The rest is data
 * that remembers what it was (`unrevived.py`, `unrevived.ts`) and is stored as that again.
 *
 * In JavaScript the format cannot distinguish LangChain's objects from data that looks like them, so ours marks such data
 * when it is written (`checkpoint-json.ts`).
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Makes a LangChain object of the parts that were stored. Rejects when LangChain has no such type. */
export type Construct = (
  id: readonly string[],
  kwargs: Record<string, unknown>,
) => Promise<unknown>;

/** LangChain's `load`, as all served releases have it. */
interface LoadModule {
  load(text: string, options: { secretsMap: Record<string, unknown> }): Promise<unknown>;
}

const speakers = ['AI', 'Human', 'System', 'Chat', 'Function', 'Tool'];
const messages = speakers.flatMap((name) => [`${name}Message`, `${name}MessageChunk`]);
const promptValues = ['StringPromptValue', 'ChatPromptValue', 'ImagePromptValue'];

/** LangChain's values: making one has no effect. Its models, tools, loaders and tracers are not among them. */
const known: ReadonlySet<string> = new Set([
  ...[...messages, 'RemoveMessage'].map((name) => `langchain_core.messages.${name}`),
  ...promptValues.map((name) => `langchain_core.prompt_values.${name}`),
]);
let allowed: ReadonlySet<string> = new Set();

/** What the setting `guest.allowed_types` names: `langchain_core.prompts.prompt.PromptTemplate`, `langchain_core.prompts.prompt.*`. */
export function allowTypes(names: readonly string[]): void {
  allowed = new Set(names);
}

/** Whether a stored object with this id becomes one again. */
export function isRevivable(id: unknown): id is readonly string[] {
  if (!Array.isArray(id) || !id.every((part) => typeof part === 'string')) return false;
  const name = id.join('.');
  const module = id.slice(0, -1).join('.');
  return known.has(name) || allowed.has(name) || allowed.has(`${module}.*`);
}

/** Makes objects of the LangChain that the checkpoints package of this copy of LangGraph uses. */
export async function openConstruct(
  langGraph: string,
  importFrom: (folder: string, name: string, subpath: string) => Promise<unknown>,
): Promise<Construct> {
  const { load } = (await importFrom(coreOf(langGraph), '@langchain/core', './load')) as LoadModule; // typed by its package
  return (id, kwargs) => {
    // `load` takes secrets as they are: so nothing below is looked through for more objects, or for names of the environment.
    const names = Object.keys(kwargs).filter((name) => name !== '__proto__');
    const parts = names.map((name) => [name, { lc: 1, type: 'secret', id: [name] }]);
    const record = { lc: 1, type: 'constructor', id, kwargs: Object.fromEntries(parts) as object };
    return load(JSON.stringify(record), { secretsMap: kwargs });
  };
}

/** The folder of the LangChain that the checkpoints package of a copy of LangGraph uses. */
export function coreOf(langGraph: string): string {
  return folderOf('@langchain/core', folderOf('@langchain/langgraph-checkpoint', langGraph));
}

/** The folder of a package as another one sees it. */
export function folderOf(name: string, folder: string): string {
  const require = createRequire(join(folder, 'package.json'));
  return dirname(require.resolve(`${name}/package.json`));
}
