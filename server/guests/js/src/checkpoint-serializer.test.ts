import {
  AIMessage,
  ChatMessage,
  HumanMessage,
  RemoveMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { PromptTemplate } from '@langchain/core/prompts';
import { MemorySaver } from '@langchain/langgraph';
import { afterEach, describe, expect, it } from 'vitest';
import { loadLangGraph } from './langgraph-library.ts';
import { allowTypes } from './revived-types.ts';

const serializer = (await loadLangGraph(import.meta.filename)).makeSerializer();
const theirs = new MemorySaver().serde;

async function again(value: unknown): Promise<unknown> {
  return serializer.loadsTyped(...(await serializer.dumpsTyped(value)));
}

const read = (text: string): Promise<unknown> => serializer.loadsTyped('json', text);
const text = async (value: unknown): Promise<string> =>
  new TextDecoder().decode((await serializer.dumpsTyped(value))[1]);

/** As a client would send it, or as a forged checkpoint would contain it. */
function record(name: string, kwargs: object = { content: 'hi' }): object {
  return { lc: 1, type: 'constructor', id: name.split('.'), kwargs };
}
const human = record('langchain_core.messages.HumanMessage');
const model = record('langchain_core.utils.testing.FakeListChatModel', { responses: ['a'] });

const messages = [
  new HumanMessage({ content: 'hi', id: 'm1', additional_kwargs: { a: { b: 1 } } }),
  new AIMessage({
    content: '',
    tool_calls: [{ name: 't', args: { x: 1 }, id: 'c1', type: 'tool_call' }],
    response_metadata: { model: 'm' },
  }),
  new ToolMessage({
    content: 'r',
    tool_call_id: 'c1',
    artifact: { at: [1], by: new HumanMessage('x') },
  }),
  new ChatMessage({ content: 'c', role: 'critic' }),
  new RemoveMessage({ id: 'm1' }),
];
const values = {
  set: new Set([1, new Map([['a', undefined]])]),
  expression: /a+/gi,
  error: new Error('no'),
  bytes: Uint8Array.from([1, 255]),
  list: [undefined, null, { nested: [new HumanMessage('deep')] }],
};

describe('what agents keep', () => {
  it.each([
    ['messages', messages],
    ['what JSON does not have', values],
    ['bytes', Uint8Array.from([0, 1])],
    ['nothing', undefined],
  ])('comes back: %s', async (_, value) => {
    expect(await again(value)).toEqual(value);
  });

  it("is written and read in LangGraph's own format", async () => {
    for (const value of [messages, values]) {
      expect(await theirs.loadsTyped(...(await serializer.dumpsTyped(value)))).toEqual(value);
      expect(await serializer.loadsTyped(...(await theirs.dumpsTyped(value)))).toEqual(value);
    }
  });

  it('may have cycles, at which it is cut off', async () => {
    const inner: Record<string, unknown> = { twice: [1] };
    inner['again'] = { inner };
    const shared = inner['twice'];
    expect(await again([inner, shared, shared])).toEqual([
      { twice: [1], again: { inner: '[Circular]' } },
      [1],
      [1],
    ]);
  });

  it('is a text where it cannot be written', async () => {
    expect(await again({ n: 1n })).toMatch(/^\[.*BigInt/);
  });
});

describe('data that looks like an object of LangChain', () => {
  it.each([
    ['itself', human],
    ['in a list', [[human]]],
    ['in a map', new Map([['a', human]])],
    ['in a record', record('langchain_core.messages.AIMessage', { content: human })],
    ['a secret', { lc: 1, type: 'secret', id: ['PATH'] }],
    ['one of LangGraph', { lc: 2, type: 'undefined' }],
    ['one of ours', { lc: 2, type: 'data', entries: [['a', human]] }],
  ])('stays data: %s', async (_, value) => {
    expect(await again(value)).toEqual(value);
    expect(await again(await again(value))).toEqual(value);
  });

  it('stays data inside a message', async () => {
    const artifact = { human, secret: { lc: 1, type: 'secret', id: ['PATH'] } };
    const given = new ToolMessage({ content: 'r', tool_call_id: 'c', artifact });
    const back = (await again(given)) as ToolMessage; // checked next
    expect(back).toBeInstanceOf(ToolMessage);
    expect(back.artifact).toEqual(artifact);
  });

  it('keeps a member named __proto__', async () => {
    const value: unknown = JSON.parse('{"__proto__": {"lc": 1}, "lc": {"__proto__": 1}}');
    expect(JSON.stringify(await again(value))).toBe(JSON.stringify(value));
  });
});

describe('a stored record', () => {
  afterEach(() => allowTypes([]));

  it.each([
    ['a model', model],
    ['a module that is a function', record('langchain_core.messages.coerceMessageLikeToMessage')],
    ['what is inherited', record('langchain_core.messages.constructor')],
    ['another namespace', record('langchain.chat_models.openai.ChatOpenAI')],
    ['no path', { lc: 1, type: 'constructor', id: [{}], kwargs: {} }],
    ['no parts', { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', 'AIMessage'] }],
    [
      'what its type does not take',
      record('langchain_core.messages.AIMessageChunk', { tool_call_chunks: [null] }),
    ],
    [
      'a message below a model',
      record('langchain_core.utils.testing.FakeListChatModel', { human }),
    ],
    ['a function', { lc: 2, type: 'constructor', id: ['Function'], args: [['return 1']] }],
    ['a method', { lc: 2, type: 'constructor', id: ['Map'], method: 'from', args: [5] }],
    ['a broken expression', { lc: 2, type: 'constructor', id: ['RegExp'], args: ['(', ''] }],
  ])('of %s is data, and stays the record that it was', async (_, forged) => {
    const stored = JSON.stringify({ a: [forged] });
    const found = (await read(stored)) as { a: object[] };
    expect(JSON.stringify(found)).toBe(stored);
    expect(await text(found)).toBe(stored);
    expect(await text(await again(found))).toBe(stored);
  });

  it('reads nothing of the environment', async () => {
    const secret = { lc: 1, type: 'secret', id: ['PATH'] };
    const stored = record('langchain_core.messages.HumanMessage', { content: [secret] });
    const found = (await read(JSON.stringify(stored))) as HumanMessage;
    expect(found).toBeInstanceOf(HumanMessage);
    expect(found.content).toEqual([secret]);
  });

  it('becomes an object once a setting names its type', async () => {
    const stored = await text(PromptTemplate.fromTemplate('{a}'));
    const isTemplate = async (): Promise<boolean> => (await read(stored)) instanceof PromptTemplate;
    expect(await isTemplate()).toBe(false);
    for (const name of [
      'langchain_core.prompts.prompt.PromptTemplate',
      'langchain_core.prompts.prompt.*',
    ]) {
      allowTypes([name]);
      expect(await isTemplate()).toBe(true);
    }
  });

  it.each([
    ['pickle', Uint8Array.from([1, 2])],
    ['json', new TextEncoder().encode('{"a":')],
  ])('that cannot be read is shown and kept: %s', async (tag, data) => {
    const found = await serializer.loadsTyped(tag, data);
    expect(found).toEqual({ __type__: tag, base64: Buffer.from(data).toString('base64') });
    expect(await serializer.dumpsTyped(found)).toEqual([tag, data]);
  });
});
