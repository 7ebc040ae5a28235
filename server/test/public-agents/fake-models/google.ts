// Gemini's generateContent: https://ai.google.dev/api/generate-content
import type { Prompt, Turn } from './decide.ts';
import { choiceOf } from './openai-chat.ts';
import type { JsonSchema } from './schema-value.ts';

interface Declaration {
  name: string;
  parameters?: JsonSchema;
  parametersJsonSchema?: JsonSchema;
}
export interface GenerateRequest {
  contents: { role?: string; parts: { functionResponse?: unknown }[] }[];
  tools?: { functionDeclarations?: Declaration[]; googleSearch?: unknown }[];
  toolConfig?: { functionCallingConfig?: { mode?: string; allowedFunctionNames?: string[] } };
  generationConfig?: { responseSchema?: JsonSchema; responseJsonSchema?: JsonSchema };
}

export function generatePrompt(body: GenerateRequest): Prompt {
  const results = body.contents.map(
    ({ parts }) => parts.filter(({ functionResponse }) => functionResponse !== undefined).length,
  );
  const asked = body.contents.findLastIndex(
    ({ role }, index) => role !== 'model' && results[index] === 0,
  );
  const { mode, allowedFunctionNames: names = [] } = body.toolConfig?.functionCallingConfig ?? {};
  const [only] = names;
  const named = names.length === 1 && only !== undefined ? { name: only } : mode?.toLowerCase();
  const { responseSchema, responseJsonSchema = responseSchema } = body.generationConfig ?? {};
  return {
    tools: (body.tools ?? []).flatMap(({ functionDeclarations = [] }) =>
      functionDeclarations.map(({ name, parameters, parametersJsonSchema }) => ({
        name,
        schema: parametersJsonSchema ?? parameters ?? {},
      })),
    ),
    choice: choiceOf(named),
    ...(responseJsonSchema !== undefined && { schema: responseJsonSchema }),
    toolResults: results.slice(asked + 1).reduce((sum, count) => sum + count, 0),
  };
}

/** The response; a stream of it is one event with this body. */
export function generateBody(turn: Turn, modelVersion: string): unknown {
  const parts =
    turn.calls.length === 0
      ? [{ text: turn.text }]
      : turn.calls.map(({ name, args }) => ({ functionCall: { name, args } }));
  return {
    candidates: [
      {
        index: 0,
        content: { role: 'model', parts },
        finishReason: 'STOP',
        // As if it had searched: agents that offer it the search read this.
        groundingMetadata: {
          groundingChunks: [{ web: { uri: 'https://example.org/page', title: 'example.org' } }],
          groundingSupports: [
            { segment: { startIndex: 0, endIndex: 4, text: 'This' }, groundingChunkIndices: [0] },
          ],
        },
      },
    ],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    modelVersion,
  };
}
