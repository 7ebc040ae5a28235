import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEmbedder } from '../src/embedder.ts';
import { agentsDir } from './guest-process.ts';

async function numbers(embed: string, texts: string[], isQuery = false): Promise<number[][]> {
  const embedder = createEmbedder(embed, { sourceDir: agentsDir });
  const vectors = await embedder.vectors({ texts, isQuery });
  return vectors.map((bytes) => Array.from(new Float32Array(Uint8Array.from(bytes).buffer)));
}

describe('vectors for the store', () => {
  it.each(['sync', 'asynchronous', 'model'])('are made by %s of a file', async (name) => {
    expect(await numbers(`./embedding.ts:${name}`, ['a', 'abc'])).toEqual([
      [1, 0.5],
      [3, 0.5],
    ]);
  });

  it('are made of a query as of one', async () => {
    expect(await numbers('./embedding.ts:model', ['abc'], true)).toEqual([[3, -0.5]]);
    expect(await numbers('./embedding.ts:sync', ['abc'], true)).toEqual([[3, 0.5]]);
  });

  it.each([
    ['./embedding.ts:failing', 'no vectors today'],
    ['./embedding.ts:wordy', 'a vector is not a list of numbers'],
    ['./embedding.ts:missing', './embedding.ts has no export "missing"'],
    ['./embedding.ts:none', "neither a function of texts nor LangChain's Embeddings"],
    ['openai:text-embedding-3-small', 'need the package @langchain/openai: install it'],
    ['nobody:model', 'no provider of embeddings "nobody"'],
  ])('of %s are refused with the reason', async (embed, reason) => {
    await expect(numbers(embed, ['a'])).rejects.toThrow(reason);
  });

  it("are made by the agents' own package, also when it is installed later", async () => {
    const sourceDir = await mkdtemp(join(tmpdir(), 'embedder-'));
    onTestFinished(() => rm(sourceDir, { recursive: true }));
    const embedder = createEmbedder('openai:small', { sourceDir });
    const request = { texts: ['a', 'b'], isQuery: false };
    await expect(embedder.vectors(request)).rejects.toThrow('install it');
    const folder = join(sourceDir, 'node_modules', '@langchain', 'openai');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{"type":"module","main":"index.js"}');
    await writeFile(
      join(folder, 'index.js'),
      `export class OpenAIEmbeddings {
        constructor({ model }) { this.length = model.length; }
        async embedDocuments(texts) { return texts.map(() => [this.length]); }
      }`,
    );
    const vectors = await embedder.vectors(request);
    expect(vectors.map((bytes) => bytes.readFloatLE())).toEqual([5, 5]);
  });
});
