/** Every form in which a graph can be exported, and what is taken for one by mistake. */
import { Annotation, END, entrypoint, START, StateGraph, task } from '@langchain/langgraph';

const State = Annotation.Root({ word: Annotation<string> });

function build(word: string) {
  return new StateGraph(State)
    .addNode('say', () => ({ word }))
    .addEdge(START, 'say')
    .addEdge('say', END);
}

interface Config {
  configurable?: { who?: string };
}

export const uncompiled = build('uncompiled');
export const promised = Promise.resolve(build('promised').compile());
export const makeSync = (config: Config) => build(`sync ${config.configurable?.who}`);
export async function makeAsync(config: Config) {
  await Promise.resolve();
  return build(`async ${config.configurable?.who}`).compile();
}
/** As langchain's createAgent gives it. */
export class Agent {
  get graph() {
    return build('wrapped').compile();
  }
}
export const wrapped = new Agent();
export const makeWrapped = () => Promise.resolve(new Agent());
export const anyInput = entrypoint({ name: 'anyInput' }, (value: unknown) =>
  Promise.resolve(value),
);
// oxlint-disable-next-line import/no-default-export -- one of the forms
export default build('default').compile();

export const aTask = task('aTask', (value: unknown) => value);
export const number = 5;
export const nothing = null;
export const list = [uncompiled];
export * as module from './settings.ts';
export function* generator() {
  yield build('generator');
}
export const failedPromise = Promise.reject(new Error('no key is set'));
failedPromise.catch(() => undefined);
export const promisedText = Promise.resolve('text');
export const returnsNothing = (): void => undefined;
export const returnsValues = () => ({ word: 'x' });
export const raises = () => {
  throw new RangeError('no key is set');
};
