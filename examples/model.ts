/**
 * The language model of the TypeScript example: a stand-in that needs no network, or a real one. Set EXAMPLE_MODEL
 * to a model that LangChain knows (for example "openai:gpt-5-mini") and install `langchain` with the provider's
 * package into this folder, and the agent asks that model instead.
 */
export interface Model {
  /** Answers one question with one text. */
  ask(prompt: string): Promise<string>;
}

/** The model that EXAMPLE_MODEL names, or the stand-in. */
export async function loadModel(): Promise<Model> {
  const name = process.env['EXAMPLE_MODEL'];
  if (name === undefined || name === '')
    return { ask: (prompt) => Promise.resolve(answer(prompt)) };
  const packageName = 'langchain'; // a variable: the package is optional
  const { initChatModel } = (await import(packageName)) as {
    initChatModel: (name: string) => Promise<{ invoke(prompt: string): Promise<{ text: string }> }>;
  };
  const model = await initChatModel(name);
  return { ask: async (prompt) => (await model.invoke(prompt)).text };
}

const signs: [word: RegExp, category: string][] = [
  [/invoice|refund|charge|pay/i, 'billing'],
  [/error|crash|slow|broken/i, 'technical'],
];

/** The stand-in's answer: it knows one word for each kind of ticket, the same one every time. */
function answer(prompt: string): string {
  const ticket = prompt.slice(prompt.indexOf('Ticket:'));
  return signs.find(([word]) => word.test(ticket))?.[1] ?? 'other';
}
