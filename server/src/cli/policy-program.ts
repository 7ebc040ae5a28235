import type { Command } from 'commander';
import type { CommandResult, PolicyCommand } from '../policy/domain/policy-commands.ts';
import type { OpenRegoEvaluator } from '../policy/rego/port.ts';
import { textOf } from './agent-input.ts';
import type { ExitCode } from './exit-code.ts';
import type { CommandOutput } from './terminal.ts';

/** The policy commands, and the evaluator of policies for them. */
export interface PolicyTools {
  open: OpenRegoEvaluator;
  lintPolicies(command: PolicyCommand): Promise<CommandResult>;
  testPolicies(command: PolicyCommand & { suites: readonly string[] }): Promise<CommandResult>;
  explainPolicy(command: PolicyCommand & { porc: string }): Promise<CommandResult>;
}

/** Dependencies of the commands on the program. */
export interface PolicyContext {
  output: CommandOutput;
  /** Called by a policy command only, so that other commands do not load the tools. */
  loadPolicyTools(): Promise<PolicyTools>;
}

/** Adds `policy lint`, `policy test` and `policy explain`. */
export function addPolicy(
  program: Command,
  { output, loadPolicyTools }: PolicyContext,
  done: (code: ExitCode) => void,
): void {
  const group = program.command('policy').description('look at policies without a service');

  function add(name: string, description: string): Command {
    const flag = '--policy <files>';
    return group
      .command(name)
      .description(description)
      .option(flag, 'policy domain YAML files, separated by commas; the last occurrence counts');
  }

  async function say(
    values: { policy?: string },
    run: (tools: PolicyTools, command: PolicyCommand) => Promise<CommandResult>,
  ): Promise<void> {
    const tools = await loadPolicyTools();
    const policies = (values.policy ?? '').split(',').flatMap((file) => file.trim() || []);
    const { lines, exitCode } = await run(tools, { policies, open: tools.open });
    for (const line of lines) (exitCode === 2 ? output.progress : output.out)(line);
    done(exitCode);
  }

  add('lint', 'read and compile policies, and list everything that is wrong with them').action(
    (values: { policy?: string }) => say(values, (tools, command) => tools.lintPolicies(command)),
  );
  add('test', 'ask policies the questions of YAML suites, and compare the answers')
    .argument('<suites...>', 'files of tests')
    .action((suites: string[], values: { policy?: string }) =>
      say(values, (tools, command) => tools.testPolicies({ ...command, suites })),
    );
  add('explain', 'ask policies one question, and show the result of every phase and policy')
    .argument('<porc>', 'principal, operation, resource, context: JSON, @file, or -')
    .action((porc: string, values: { policy?: string }) =>
      say(values, (tools, command) =>
        tools.explainPolicy({ ...command, porc: textOf(porc, 'policy explain') }),
      ),
    );
}
