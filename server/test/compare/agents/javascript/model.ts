// A chat model without a model, as in ../python/model.py.
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';

interface Named {
  name: string;
}

/** Calls a tool when the message is `use NAME {arguments}` and has that tool; otherwise repeats. */
export class Scripted extends BaseChatModel {
  readonly #tools: readonly string[];

  constructor(tools: readonly string[] = []) {
    super({});
    this.#tools = tools;
  }

  _llmType(): string {
    return 'scripted';
  }

  override bindTools(tools: unknown[]): Scripted {
    return new Scripted((tools as Named[]).map(({ name }) => name)); // tools of LangChain have names
  }

  #turn(messages: BaseMessage[]): AIMessage {
    const last = messages.at(-1);
    if (last === undefined) return new AIMessage('');
    if (last.getType() === 'tool') return new AIMessage(`The tool says: ${last.text}`);
    const [use, name = '', ...rest] = last.text.split(' ');
    if (use !== 'use' || !this.#tools.includes(name)) {
      return new AIMessage(`You said: ${last.text}`);
    }
    const id = `call_${messages.filter((message) => message.getType() === 'ai').length}`;
    const args = JSON.parse(rest.join(' ')) as Record<string, unknown>; // scenarios write objects
    return new AIMessage({ content: '', tool_calls: [{ id, name, args, type: 'tool_call' }] });
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const message = this.#turn(messages);
    return { generations: [{ message, text: message.text }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
  ): AsyncGenerator<ChatGenerationChunk> {
    const turn = this.#turn(messages);
    for (const { id, name, args } of turn.tool_calls ?? []) {
      const chunk = { index: 0, id: id ?? '', name, args: JSON.stringify(args) };
      const message = new AIMessageChunk({ content: '', tool_call_chunks: [chunk] });
      yield new ChatGenerationChunk({ message, text: '' });
    }
    for (const word of turn.text === '' ? [] : turn.text.split(/(?<= )/)) {
      yield new ChatGenerationChunk({ message: new AIMessageChunk(word), text: word });
    }
  }
}
