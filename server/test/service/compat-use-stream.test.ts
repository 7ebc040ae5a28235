import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Message } from '@langchain/langgraph-sdk';
import type { UseStreamOptions } from '@langchain/langgraph-sdk/react';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { openBrowser } from '../fixtures/browser.ts';
import { compatClient, compatUrl } from '../fixtures/compat-client.ts';
import { releaseUnless } from '../fixtures/shared-service.ts';

interface Talk extends Record<string, unknown> {
  messages: Message[];
  notes?: string[];
  wish?: string;
  seconds?: number;
  until?: string;
  answer?: unknown;
}

const browser = openBrowser();
// Both look for a browser when they are loaded.
const { renderHook, waitFor, act, cleanup } = await import('@testing-library/react');
const { useStream } = await import('@langchain/langgraph-sdk/react');

afterAll(() => {
  cleanup();
  browser.close();
});

const SOON = { timeout: 40_000 };
const texts = (messages: Message[]) => messages.map(({ content }) => content);
const human = (content: string): Talk => ({ messages: [{ type: 'human', content }] });

describe.each(['talk_py', 'talk_ts'])('useStream with %s', (assistantId) => {
  const py = releaseUnless(assistantId === 'talk_py');
  const ts = releaseUnless(assistantId === 'talk_ts');

  function open(options: Partial<UseStreamOptions<Talk>> = {}) {
    const apiUrl = compatUrl();
    const contents = new Set<unknown>();
    const { result, unmount } = renderHook(() => {
      // As agent-chat-ui calls it.
      const stream = useStream<Talk>({ apiUrl, assistantId, fetchStateHistory: true, ...options });
      for (const content of texts(stream.messages)) contents.add(content);
      return stream;
    });
    return { stream: () => result.current, contents, unmount };
  }

  async function settled(stream: () => { isLoading: boolean }): Promise<void> {
    await waitFor(() => expect(stream().isLoading).toBe(false), SOON);
  }

  it('makes a thread, streams the messages, and has the history in the end', py, async () => {
    let threadId = '';
    const { stream, contents } = open({ onThreadId: (id) => (threadId = id) });
    expect(stream().messages).toEqual([]);
    await act(async () => void stream().submit(human('hi')));
    await waitFor(() => expect(texts(stream().messages).at(-1)).toBe('all is well'), SOON);
    await settled(stream);
    expect(texts(stream().messages)).toEqual(['hi', 'all is well']);
    expect(contents.size).toBeGreaterThan(2); // the message's beginnings, too
    expect(stream().values.notes).toEqual(['reply']);
    expect(stream().history.map(({ next }) => next)).toEqual([['__start__'], ['reply'], []]);
    expect(threadId).not.toBe('');

    await act(async () => void stream().submit(human('again')));
    await waitFor(() => expect(texts(stream().messages)).toHaveLength(4), SOON);
    await settled(stream);
    expect(texts(stream().messages)).toEqual(['hi', 'all is well', 'again', 'all is well']);
  });

  it('shows a question, and takes the answer', ts, async () => {
    const { stream } = open();
    await act(async () => void stream().submit({ messages: [], wish: 'ask' }));
    await waitFor(() => expect(stream().interrupt?.value).toEqual({ question: 'Go on?' }), SOON);
    await settled(stream);
    expect(stream().interrupt?.value).toEqual({ question: 'Go on?' });
    await act(async () => void stream().submit(undefined, { command: { resume: 'yes' } }));
    await waitFor(() => expect(stream().values.answer).toBe('yes'), SOON);
    await settled(stream);
    expect(stream().interrupt).toBeUndefined();
    expect(stream().values.notes).toEqual(['ask', 'reply']);
  });

  it('branches where a message is edited', py, async () => {
    const { stream } = open();
    await act(async () => void stream().submit(human('first')));
    await waitFor(() => expect(stream().messages).toHaveLength(2), SOON);
    await settled(stream);
    const [message] = stream().messages;
    if (message === undefined) throw new Error('no message');
    const at = stream().getMessagesMetadata(message)?.firstSeenState?.parent_checkpoint;
    expect(at).toBeDefined();
    await act(async () => void stream().submit(human('second'), { checkpoint: at ?? null }));
    await waitFor(() => expect(texts(stream().messages)[0]).toBe('second'), SOON);
    await settled(stream);
    await waitFor(() => expect(texts(stream().messages)).toEqual(['second', 'all is well']), SOON);
    const [edited] = stream().messages;
    if (edited === undefined) throw new Error('no message');
    const { branch, branchOptions = [] } = stream().getMessagesMetadata(edited) ?? {};
    expect(branchOptions).toHaveLength(2);
    const other = branchOptions.find((one) => one !== branch) ?? '';
    await act(async () => stream().setBranch(other));
    expect(texts(stream().messages)[0]).toBe('first');
  });

  it('stops a run, which is cancelled then', ts, async () => {
    let run: { run_id: string; thread_id: string } | undefined;
    const { stream } = open({ onCreated: (created) => void (run = created) });
    await act(async () => void stream().submit({ messages: [], wish: 'wait', seconds: 60 }));
    await waitFor(() => expect(stream().values.wish).toBe('wait'), SOON);
    expect(stream().isLoading).toBe(true);
    await act(() => stream().stop());
    await settled(stream);
    const client = compatClient();
    const { thread_id: threadId = '', run_id: runId = '' } = run ?? {};
    await waitFor(async () => {
      expect((await client.runs.get(threadId, runId)).status).toBe('interrupted');
    }, SOON);
  });

  it('shows what went wrong', py, async () => {
    const errors: unknown[] = [];
    const { stream } = open({ onError: (error) => void errors.push(error) });
    await act(async () => void stream().submit({ messages: [], wish: 'fail' }));
    await waitFor(() => expect(stream().error).toBeDefined(), SOON);
    await settled(stream);
    expect(String(stream().error)).toContain('no such wish');
    expect(errors).toHaveLength(1);
  });

  it('continues a run after a reload of the page', ts, async () => {
    let threadId = '';
    let runId = '';
    const first = open({
      reconnectOnMount: true,
      onThreadId: (id) => (threadId = id),
      onCreated: ({ run_id: id }) => (runId = id),
    });
    const folder = await mkdtemp(join(tmpdir(), 'use-stream-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const until = join(folder, 'reloaded');
    const input = { messages: [], wish: 'wait', until };
    await act(async () => void first.stream().submit(input, { onDisconnect: 'continue' }));
    await waitFor(() => expect(runId).not.toBe(''), SOON);
    first.unmount();
    const second = open({ threadId, reconnectOnMount: true });
    await waitFor(() => expect(second.stream().values.wish).toBe('wait'), SOON);
    expect(second.stream().isLoading).toBe(true);
    await writeFile(until, '');
    await waitFor(() => expect(second.stream().values.notes).toEqual(['wait', 'reply']), SOON);
    await settled(second.stream);
    expect(texts(second.stream().messages)).toEqual(['all is well']);
  });
});
