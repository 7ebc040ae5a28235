import { setTimeout as pause } from 'node:timers/promises';
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';

/** As slow as a model: what streams, and what is stopped, can be seen. */
const BETWEEN_WORDS_MS = 50;

/**
 * A chat model without a model: it counts on `count to N`, mails on `mail NAME`, fails on `fail`; otherwise it repeats.
 */
export class Talker extends BaseChatModel {
  constructor() {
    super({});
  }

  _llmType(): string {
    return 'talker';
  }

  #turn(messages: BaseMessage[]): AIMessage {
    const last = messages.at(-1);
    const text = last?.text ?? '';
    if (last?.getType() === 'tool') return new AIMessage(`Done: ${text}`);
    const [, word = '', rest = ''] = /^(count to|mail|fail)\s*(.*)$/.exec(text) ?? [];
    if (word === 'fail') throw new Error('The model failed.');
    if (word === 'count to') {
      return new AIMessage(Array.from({ length: Number(rest) }, (_, at) => at + 1).join(' '));
    }
    if (word !== 'mail') return new AIMessage(`You wrote: ${text}`);
    const call = { id: `call_${messages.length}`, name: 'send_mail', args: { to: rest } };
    return new AIMessage({ content: '', tool_calls: [{ ...call, type: 'tool_call' }] });
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const message = this.#turn(messages);
    return { generations: [{ message, text: message.text }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    _options: this['ParsedCallOptions'],
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const turn = this.#turn(messages);
    for (const { id, name, args } of turn.tool_calls ?? []) {
      const call = { index: 0, id: id ?? '', name, args: JSON.stringify(args) };
      const message = new AIMessageChunk({ content: '', tool_call_chunks: [call] });
      yield new ChatGenerationChunk({ message, text: '' });
    }
    for (const word of turn.text === '' ? [] : turn.text.split(/(?<= )/)) {
      await pause(BETWEEN_WORDS_MS);
      const chunk = new ChatGenerationChunk({ message: new AIMessageChunk(word), text: word });
      yield chunk;
      // Only what a model reports itself is streamed.
      await run?.handleLLMNewToken(word, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}
