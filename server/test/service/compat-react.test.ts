// `@langchain/react` attaches: LangGraph's streaming protocol of threads as its newest hook speaks it. Takes seconds
// because the service, its engine and its guests are real.
import type { BaseMessage } from '@langchain/core/messages';
import { afterAll, describe, expect, it } from 'vitest';
import { openBrowser } from '../fixtures/browser.ts';
import { compatClient, compatUrl } from '../fixtures/compat-client.ts';
import { releaseUnless } from '../fixtures/shared-service.ts';

interface Talk extends Record<string, unknown> {
  messages: unknown[];
  notes?: string[];
  wish?: string;
  seconds?: number;
  answer?: unknown;
}

const browser = openBrowser();
// Both look for a browser when they are loaded.
const { renderHook, waitFor, act, cleanup } = await import('@testing-library/react');
const { useStream } = await import('@langchain/react');

afterAll(() => {
  cleanup();
  browser.close();
});

const SOON = { timeout: 40_000 };
const texts = (messages: BaseMessage[]) => messages.map(({ text }) => text);

describe.each(['talk_py', 'talk_ts'])('useStream of @langchain/react with %s', (assistantId) => {
  const py = releaseUnless(assistantId === 'talk_py');
  const ts = releaseUnless(assistantId === 'talk_ts');

  function open() {
    const apiUrl = compatUrl();
    let threadId = '';
    let runId = '';
    const { result } = renderHook(() => {
      const onThreadId = (id: string) => (threadId = id);
      const onCreated = (run: { runId: string }) => (runId = run.runId);
      return useStream<Talk>({ apiUrl, assistantId, onThreadId, onCreated });
    });
    return { stream: () => result.current, thread: () => threadId, run: () => runId };
  }

  it('streams the messages of one turn and of the next', py, async () => {
    const { stream } = open();
    const say = async (content: string) =>
      act(async () => void stream().submit({ messages: [{ type: 'human', content }] }));
    await say('hi');
    await waitFor(() => expect(texts(stream().messages)).toEqual(['hi', 'all is well']), SOON);
    await waitFor(() => expect(stream().isLoading).toBe(false), SOON);
    expect(stream().values.notes).toEqual(['reply']);
    await say('again');
    await waitFor(() => expect(texts(stream().messages)).toHaveLength(4), SOON);
    await waitFor(() => expect(stream().isLoading).toBe(false), SOON);
    expect(texts(stream().messages)).toEqual(['hi', 'all is well', 'again', 'all is well']);
  });

  it('shows a question, and takes the answer', ts, async () => {
    const { stream } = open();
    await act(async () => void stream().submit({ messages: [], wish: 'ask' }));
    await waitFor(() => expect(stream().interrupt?.value).toEqual({ question: 'Go on?' }), SOON);
    await waitFor(() => expect(stream().isLoading).toBe(false), SOON);
    await act(async () => void stream().respond('yes'));
    await waitFor(() => expect(stream().values.answer).toBe('yes'), SOON);
    await waitFor(() => expect(stream().isLoading).toBe(false), SOON);
    expect(stream().interrupt).toBeUndefined();
    expect(stream().values.notes).toEqual(['ask', 'reply']);
  });

  it('stops a run', py, async () => {
    const { stream, thread, run } = open();
    await act(async () => void stream().submit({ messages: [], wish: 'wait', seconds: 60 }));
    const client = compatClient();
    const hasStatus = (status: string) => async () => {
      const [newest] = await client.runs.list(thread());
      expect(newest?.status).toBe(status);
    };
    // The hook shows the input at once, and can stop a run only once it has its id.
    await waitFor(() => expect(run()).not.toBe(''), SOON);
    await waitFor(hasStatus('running'), SOON);
    expect(stream().isLoading).toBe(true);
    await act(() => stream().stop());
    await waitFor(() => expect(stream().isLoading).toBe(false), SOON);
    await waitFor(hasStatus('interrupted'), SOON);
  });
});
