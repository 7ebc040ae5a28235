// A server with the APIs of models on the loopback interface, for agents that were written for real ones.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { messagesBody, messagesEvents, messagesPrompt, type MessagesRequest } from './anthropic.ts';
import { decide, type Script } from './decide.ts';
import { embeddingsBody, type EmbeddingsRequest } from './embeddings.ts';
import { generateBody, generatePrompt, type GenerateRequest } from './google.ts';
import { chatBody, chatEvents, chatPrompt, type ChatRequest } from './openai-chat.ts';
import { startSearchProxy } from './search-proxy.ts';
import * as responses from './openai-responses.ts';

/** A running server of scripted models. */
export interface FakeModels {
  readonly url: string;
  /** The paths that were asked for, in order; those that are not known begin with `404`. */
  readonly asked: readonly string[];
  /** Variables by which clients of a search reach it too, and no other server. */
  readonly variables: Readonly<Record<string, string>>;
  /** Hosts elsewhere that an agent asked for. */
  readonly refused: readonly string[];
  close(): Promise<void>;
}

/** Starts it on a free port. */
export async function startFakeModels(script: Script = {}): Promise<FakeModels> {
  const asked: string[] = [];
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    respond(request, response, script, asked).catch((error: unknown) => {
      asked.push(`500 ${request.url ?? ''} ${String(error)}`);
      response.destroy();
    });
  };
  const server = createServer(onRequest);
  const proxy = await startSearchProxy(onRequest);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // what a listening TCP server has
  return {
    url: `http://127.0.0.1:${port}`,
    variables: proxy.variables,
    asked,
    refused: proxy.refused,
    async close() {
      await proxy.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  script: Script,
  asked: string[],
): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://models').pathname;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // without an encoding it gives buffers
  const text = Buffer.concat(chunks).toString();
  const body: unknown = text === '' ? {} : JSON.parse(text);
  const reply = replyOf(path, body, script);
  asked.push(reply === undefined ? `404 ${path}` : path);
  if (reply === undefined) {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end('{"error":{"message":"There is no such path here."}}');
  } else if ('events' in reply) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of reply.events) response.write(event);
    response.end();
  } else {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(reply.body));
  }
}

type Reply = { events: Iterable<string> } | { body: unknown };

/** Paths are found by their end: clients add `/v1` or not. The bodies are what the named API documents. */
function replyOf(path: string, body: unknown, script: Script): Reply | undefined {
  const id = randomUUID().replaceAll('-', '');
  if (path.endsWith('/chat/completions')) {
    const request = body as ChatRequest;
    const turn = decide(chatPrompt(request), script);
    if (request.stream === true) return { events: chatEvents(turn, request.model, id) };
    return { body: chatBody(turn, request.model, id) };
  }
  if (path.endsWith('/responses')) {
    const request = body as responses.ResponsesRequest;
    const turn = decide(responses.responsesPrompt(request), script);
    if (request.stream === true)
      return { events: responses.responsesEvents(turn, request.model, id) };
    return { body: responses.responsesBody(turn, request.model, id) };
  }
  if (path.endsWith('/messages')) {
    const request = body as MessagesRequest;
    const turn = decide(messagesPrompt(request), script);
    if (request.stream === true) return { events: messagesEvents(turn, request.model, id) };
    return { body: messagesBody(turn, request.model, id) };
  }
  if (path.endsWith('/count_tokens')) return { body: { input_tokens: 10 } };
  if (path.endsWith('/embeddings')) return { body: embeddingsBody(body as EmbeddingsRequest) };
  const gemini = /\/models\/([^/:]+):(generateContent|streamGenerateContent)$/.exec(path);
  if (gemini !== null) {
    const whole = generateBody(
      decide(generatePrompt(body as GenerateRequest), script),
      gemini[1] ?? '',
    );
    if (gemini[2] === 'generateContent') return { body: whole };
    return { events: [`data: ${JSON.stringify(whole)}\n\n`] };
  }
  // The user of any token, as Supabase gives it: some agents refuse every caller without one.
  if (path === '/auth/v1/user')
    return {
      body: {
        id: 'ada',
        aud: 'authenticated',
        app_metadata: {},
        user_metadata: {},
        created_at: '2026-01-02T03:04:05Z',
      },
    };
  if (path === '/search') return { body: searchResults };
  return undefined;
}

/** What Tavily gives: https://docs.tavily.com/documentation/api-reference/endpoint/search */
const searchResults = {
  query: 'something',
  answer: null,
  images: [],
  follow_up_questions: null,
  response_time: 0.1,
  results: [
    {
      title: 'A page',
      url: 'https://example.org/page',
      content: 'The text of the page.',
      raw_content: 'The text of the page, at length.',
      score: 0.9,
    },
  ],
};
