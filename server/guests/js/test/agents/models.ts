import {
  BaseChatModel,
  type BaseChatModelParams,
} from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

type Options = BaseChatModel['ParsedCallOptions'] & { tools?: object[]; seed?: number };

/** Agents whose model is called again outside of runs; python/tests/agents/models.py has them too. */
class EchoModel extends BaseChatModel {
  readonly temperature: number;
  readonly secret: string;

  constructor(fields: BaseChatModelParams & { temperature?: number; secret?: string }) {
    super(fields);
    this.temperature = fields.temperature ?? 0;
    this.secret = fields.secret ?? 'none';
  }

  override _llmType(): string {
    return 'echo';
  }

  override invocationParams({ tools, seed, stop }: Partial<Options> = {}): object {
    return { model: 'echo-1', temperature: this.temperature, tools, seed, stop };
  }

  override async _generate(messages: BaseMessage[], options: Options): Promise<ChatResult> {
    const last = messages.at(-1)?.text;
    if (last === 'fail') throw new TypeError('The provider has no credit left.');
    process.stdout.write(`asked for ${last}\n`);
    const shown = messages.map((message) => [message.type, message.text]);
    const content = `${this.secret}: ${JSON.stringify([shown, this.invocationParams(options)])}`;
    const usage = { input_tokens: 7, output_tokens: 3, total_tokens: 10 };
    const message = new AIMessage(content);
    Object.assign(message, { usage_metadata: usage });
    return await Promise.resolve({ generations: [{ text: content, message }] });
  }
}

/** Never responds. */
class SlowModel extends EchoModel {
  override _generate(_: BaseMessage[], { signal }: Options): Promise<ChatResult> {
    process.stdout.write('waiting\n');
    return new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => {
        process.stdout.write('left\n');
        reject(new Error('left'));
      });
    });
  }
}

/** Made by a node for itself. */
class NodesModel extends EchoModel {}

/** Made with a graph. */
class MadeModel extends EchoModel {}

type Asked = (messages: BaseMessage[]) => Promise<BaseMessage>;

const graphOf = (asked: Asked) =>
  new StateGraph(MessagesAnnotation)
    .addNode('ask', async ({ messages }) => ({ messages: [await asked(messages)] }))
    .addEdge(START, 'ask')
    .compile();

const warm = new EchoModel({ temperature: 0.7, secret: 'warm' });
const cold = new EchoModel({ temperature: 0.1, secret: 'cold' });
const slow = new SlowModel({ temperature: 0.5 });
const bound = cold.withConfig({ tools: [{ name: 'look' }], stop: ['END'] } as object);

export const all = [warm, slow];
export const graph = graphOf((messages) => bound.invoke(messages));
export const passing = graphOf((messages) => new NodesModel({}).invoke(messages));
export const factory = () => {
  const model = new MadeModel({ secret: 'made' });
  return graphOf((messages) => model.invoke(messages));
};
