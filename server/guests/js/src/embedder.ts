import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { GuestConfig } from './guest-config.ts';
import { GuestError } from './guest-error.ts';
import { importExport } from './manifest-export.ts';

/** LangChain's Embeddings, as far as we use them. */
interface Embeddings {
  embedDocuments(texts: string[]): Promise<number[][]>;
  embedQuery(text: string): Promise<number[]>;
}

/** Makes vectors of texts as `store.index.embed` of the manifest configures it. */
export interface Embedder {
  /** The manifest's value when this guest was started. */
  readonly embed: string;
  /** One vector of little-endian float32 for each text. Rejects with what the agents' code throws. */
  vectors(request: { texts: string[]; isQuery: boolean }): Promise<Buffer[]>;
}

/** The classes of LangChain's packages that `provider:model` names: Python's init_embeddings has the same names. */
const providers: Readonly<Record<string, readonly [package_: string, class_: string]>> = {
  openai: ['@langchain/openai', 'OpenAIEmbeddings'],
  azure_openai: ['@langchain/openai', 'AzureOpenAIEmbeddings'],
  cohere: ['@langchain/cohere', 'CohereEmbeddings'],
  mistralai: ['@langchain/mistralai', 'MistralAIEmbeddings'],
  google_genai: ['@langchain/google-genai', 'GoogleGenerativeAIEmbeddings'],
  google_vertexai: ['@langchain/google-vertexai', 'VertexAIEmbeddings'],
  bedrock: ['@langchain/aws', 'BedrockEmbeddings'],
  ollama: ['@langchain/ollama', 'OllamaEmbeddings'],
};

/** What it needs is imported at the first use, and again while that fails. */
export function createEmbedder(
  embed: string,
  config: Pick<GuestConfig, 'sourceDir' | 'tsxPath'>,
): Embedder {
  let loading: Promise<Embeddings> | undefined;
  const load = (): Promise<Embeddings> => {
    loading ??= embeddingsOf(embed, config).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  return {
    embed,
    async vectors({ texts, isQuery }) {
      const embeddings = await load();
      const made = isQuery
        ? await Promise.all(texts.map((text) => embeddings.embedQuery(text)))
        : await embeddings.embedDocuments(texts);
      return Array.from(made, bytesOf);
    },
  };
}

async function embeddingsOf(
  embed: string,
  config: Pick<GuestConfig, 'sourceDir' | 'tsxPath'>,
): Promise<Embeddings> {
  const [source = '', ...rest] = embed.split(':');
  if (extname(source) === '' || rest.length === 0) {
    return modelOf(source, rest.join(':'), config.sourceDir);
  }
  const exported = await importExport(embed, config);
  if (isEmbeddings(exported)) return exported;
  if (typeof exported === 'function') return fromFunction(exported as EmbedFunction); // any function is taken for one
  throw new TypeError(`${embed} is neither a function of texts nor LangChain's Embeddings.`);
}

type EmbedFunction = (texts: string[]) => number[][] | Promise<number[][]>;

function fromFunction(embed: EmbedFunction): Embeddings {
  return {
    embedDocuments: async (texts) => embed(texts),
    async embedQuery(text) {
      const [vector = []] = await embed([text]);
      return vector;
    },
  };
}

/** The package is the agents' own. */
async function modelOf(provider: string, model: string, sourceDir: string): Promise<Embeddings> {
  const known = providers[provider];
  if (known === undefined) {
    const names = Object.keys(providers).join(', ');
    throw new Error(`There is no provider of embeddings "${provider}"; known are ${names}.`);
  }
  const [packageName, className] = known;
  let file: string;
  try {
    file = createRequire(join(sourceDir, 'package.json')).resolve(packageName);
  } catch {
    throw new Error(`Embeddings by "${provider}" need the package ${packageName}: install it.`);
  }
  const library = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  const Model = library[className] as new (options: { model: string }) => Embeddings; // typed by its package
  return new Model({ model });
}

function isEmbeddings(value: unknown): value is Embeddings {
  return (
    typeof value === 'object' &&
    value !== null &&
    'embedDocuments' in value &&
    'embedQuery' in value &&
    typeof value.embedDocuments === 'function' &&
    typeof value.embedQuery === 'function'
  );
}

function bytesOf(vector: unknown): Buffer {
  const isNumbers = Array.isArray(vector) || vector instanceof Float32Array;
  if (!isNumbers) throw new GuestError('embedding_failed', 'a vector is not a list of numbers');
  return Buffer.from(Float32Array.from(vector as Iterable<number>).buffer); // what is no number becomes NaN, which the host refuses
}
