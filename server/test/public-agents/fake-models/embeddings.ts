// OpenAI's embeddings: https://platform.openai.com/docs/api-reference/embeddings
import { createHash } from 'node:crypto';

export interface EmbeddingsRequest {
  input: string | readonly unknown[];
  model: string;
  dimensions?: number;
  encoding_format?: 'float' | 'base64';
}

/** What `text-embedding-3-small` has. */
const DIMENSIONS = 1536;

/** One vector of length 1 for each text, the same for the same text. */
export function embeddingsBody(body: EmbeddingsRequest): unknown {
  // Clients that count tokens send those instead of texts: a list of lists of numbers.
  const isOne = typeof body.input === 'string' || typeof body.input[0] === 'number';
  const inputs = isOne ? [body.input] : (body.input as readonly unknown[]); // the other form of it
  const data = inputs.map((input, index) => {
    const vector = vectorOf(JSON.stringify(input), body.dimensions ?? DIMENSIONS);
    const embedding =
      body.encoding_format === 'base64'
        ? Buffer.from(Float32Array.from(vector).buffer).toString('base64')
        : vector;
    return { object: 'embedding', index, embedding };
  });
  const usage = { prompt_tokens: 1, total_tokens: 1 };
  return { object: 'list', model: body.model, data, usage };
}

function vectorOf(text: string, dimensions: number): number[] {
  const bytes = createHash('sha512').update(text).digest();
  const raw = Array.from({ length: dimensions }, (_, at) => (bytes[at % bytes.length] ?? 0) - 128);
  const length = Math.hypot(...raw) || 1;
  return raw.map((value) => value / length);
}
