import { ActionIcon, Button, Select, Textarea } from '@mantine/core';
import { IconPlayerStop, IconSend } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { Link } from 'react-router';
import { cancelThreadRun, createRun } from '../../../api/generated/sdk.gen.ts';
import { getAgentSchemasOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { Run } from '../../../api/generated/types.gen.ts';
import { watchRun } from '../../../api/watched-runs.ts';
import { useCommands } from '../../../ui/commands.ts';
import { AgentNotLoaded } from '../../../ui/agent-not-loaded.tsx';
import { ErrorView } from '../../../ui/error-view.tsx';
import { agentsQuery } from '../queries.ts';
import { keepMessageDraft, messageDraft } from './message-drafts.ts';
import type { SentMessage } from './sent-messages.ts';
import { takesMessages } from './takes-messages.ts';
import { threadChanged, threadKeys } from '../../../api/queries/thread-keys.ts';

interface ComposeBoxProps {
  readonly threadId: string;
  /** The agent of the thread so far. */
  readonly agentId: string | undefined;
  /** The active run. */
  readonly activeRun: Run | undefined;
  readonly isBusy: boolean;
  /** The thread's state has a list of messages already. */
  readonly hasMessages: boolean;
  readonly onSent: (message: SentMessage) => void;
}

/** Sends a message on the thread: a run of the agent with one more message. */
export function ComposeBox(props: ComposeBoxProps): ReactNode {
  const { threadId, agentId, activeRun, isBusy, hasMessages, onSent } = props;
  const queryClient = useQueryClient();
  const agents = useQuery(agentsQuery);
  const [chosen, setChosen] = useState<string>();
  const [text, setText] = useState(() => messageDraft(threadId));
  const write = (next: string): void => {
    setText(next);
    keepMessageDraft(threadId, next);
  };
  const field = useRef<HTMLTextAreaElement>(null);
  const names = (agents.data ?? []).map(({ name }) => name);
  const agent = chosen ?? agentId ?? names[0];
  const notLoaded = agents.data?.find(({ name }) => name === agent)?.error;
  const schemas = useQuery({
    ...getAgentSchemasOptions({ path: { name: agent ?? '' } }),
    enabled: agent !== undefined,
    staleTime: 60_000,
  });
  const canTalk =
    schemas.data === undefined
      ? hasMessages || schemas.isPending
      : takesMessages(schemas.data.input_schema);
  useCommands([
    {
      id: 'conversation:write',
      label: 'Write a message',
      keys: 'w',
      group: 'This thread',
      run: () => field.current?.focus(),
    },
  ]);

  const send = useMutation({
    mutationFn: async (content: string): Promise<SentMessage> => {
      const id = crypto.randomUUID();
      const { data } = await createRun({
        path: { thread_id: threadId },
        body: {
          ...(agent === undefined ? {} : { agent_id: agent }),
          input: { messages: [{ role: 'user', content, id }] },
        },
        throwOnError: true,
      });
      watchRun(data);
      return { id, text: content, runId: data.run_id, isQueued: data.queue_position !== undefined };
    },
    onSuccess: (message) => {
      write('');
      onSent(message);
      void queryClient.invalidateQueries({ queryKey: threadKeys.values(threadId) });
      void queryClient.invalidateQueries({ queryKey: threadKeys.runs(threadId) });
      void queryClient.invalidateQueries({ queryKey: threadKeys.heads });
    },
  });
  const cancel = useMutation({
    mutationFn: (run: Run) =>
      cancelThreadRun({
        path: { thread_id: run.thread_id, run_id: run.run_id },
        throwOnError: true,
      }),
    onSettled: () => threadChanged(queryClient, threadId),
  });
  const submit = (): void => {
    if (text.trim() !== '' && !send.isPending) send.mutate(text);
  };

  return (
    <div className="compose-box">
      {send.isError && <ErrorView error={send.error} title="The message was not sent" compact />}
      {cancel.isError && (
        <ErrorView error={cancel.error} title="The run was not cancelled" compact />
      )}
      {notLoaded !== undefined && agent !== undefined && (
        <AgentNotLoaded agentId={agent} message={notLoaded.message} />
      )}
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {canTalk ? (
          <Textarea
            ref={field}
            flex={1}
            aria-label="Message"
            placeholder={
              isBusy ? 'Write a message; it runs after the active run' : 'Write a message'
            }
            autosize
            minRows={1}
            maxRows={8}
            value={text}
            onChange={(event) => {
              write(event.currentTarget.value);
              // The error was about the previous text, or about a service that may be back.
              if (send.isError) send.reset();
            }}
            onKeyDown={(event) => {
              if (event.key === 'Escape') event.currentTarget.blur();
              if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              if (!event.repeat) submit();
            }}
          />
        ) : (
          <p className="grow dim">
            {agent} accepts no messages. <Link to="?compose=1">Run it with its own input</Link>
          </p>
        )}
        <Select
          w={116}
          aria-label="Agent"
          data={names}
          value={agent ?? null}
          allowDeselect={false}
          onChange={(value) => setChosen(value ?? undefined)}
          comboboxProps={{ position: 'top-end', width: 180 }}
        />
        {isBusy && activeRun?.status === 'running' && (
          <Button
            leftSection={<IconPlayerStop size={14} aria-hidden />}
            loading={cancel.isPending}
            onClick={() => cancel.mutate(activeRun)}
          >
            Cancel run
          </Button>
        )}
        {canTalk && (
          <ActionIcon
            type="submit"
            variant="filled"
            color="accent"
            size={28}
            aria-label="Send"
            disabled={text.trim() === '' || send.isPending}
          >
            <IconSend size={16} aria-hidden />
          </ActionIcon>
        )}
      </form>
    </div>
  );
}
