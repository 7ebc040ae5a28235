/** The limits of policy files, and of the questions that policies decide. */
import { accessLogLimitRows } from './access-log-limits.ts';
import { constant, type LimitRow } from './limit-row.ts';
import { regoLimitRows } from './rego-limits.ts';

const MIB = 1_024 * 1_024;

/** One file of policies or of Rego. */
export const POLICY_FILE_BYTES = 4 * MIB;

/** Policies, libraries and mappers of all domains. */
export const POLICY_MODULES = 5_000;

/** The depth of libraries that need libraries. */
export const POLICY_LIBRARY_DEPTH = 100;

/** Nesting depth of values in a YAML file, and of values decoded in it. */
export const POLICY_YAML_DEPTH = 64;

/** Values of one YAML file with every alias expanded: nested aliases grow exponentially. */
export const POLICY_YAML_VALUES = 250_000;

/** One selector. */
export const POLICY_SELECTOR_CHARACTERS = 1_000;

/** The completed input of a decision as JSON. */
export const POLICY_INPUT_BYTES = MIB;

/** The name of the operation in a question. */
export const POLICY_OPERATION_CHARACTERS = 1_000;

/** The id of the resource in a question: a path of a request has fewer, also when it is percent-encoded. */
export const POLICY_RESOURCE_CHARACTERS = 65_536;

/** Nesting depth of values in a question. */
export const POLICY_INPUT_DEPTH = 64;

const atLoading = {
  where: 'host, when policies are read',
  outcome: 'a finding: they are not used',
};
const atDecision = { where: 'host, before policies are asked', outcome: 'denied' };

/** The rows of docs/limits.md. */
export const policyLimitRows = {
  ...regoLimitRows,
  policyFile: constant(POLICY_FILE_BYTES, {
    what: 'one file of policies or of Rego',
    unit: 'bytes',
    ...atLoading,
  }),
  policyModules: constant(POLICY_MODULES, {
    what: 'policies, libraries and mappers of all policy files together',
    unit: 'policies',
    ...atLoading,
  }),
  policyLibraryDepth: constant(POLICY_LIBRARY_DEPTH, {
    what: 'libraries that need libraries, one behind the other',
    unit: 'levels',
    ...atLoading,
  }),
  policyYamlDepth: constant(POLICY_YAML_DEPTH, {
    what: 'values within values of a policy file',
    unit: 'levels',
    ...atLoading,
  }),
  policyYamlValues: constant(POLICY_YAML_VALUES, {
    what: 'values of a policy file with every alias written out',
    unit: 'values',
    ...atLoading,
  }),
  policySelector: constant(POLICY_SELECTOR_CHARACTERS, {
    what: 'one selector of a policy file',
    unit: 'characters',
    ...atLoading,
  }),
  policyInput: constant(POLICY_INPUT_BYTES, {
    what: 'the input of policies for one request, as JSON',
    unit: 'bytes',
    ...atDecision,
  }),
  policyInputDepth: constant(POLICY_INPUT_DEPTH, {
    what: 'values within values of it',
    unit: 'levels',
    ...atDecision,
  }),
  policyOperation: constant(POLICY_OPERATION_CHARACTERS, {
    what: 'the name of the operation in it',
    unit: 'characters',
    ...atDecision,
  }),
  policyResource: constant(POLICY_RESOURCE_CHARACTERS, {
    what: 'the id of the resource in it',
    unit: 'characters',
    ...atDecision,
  }),
  ...accessLogLimitRows,
} satisfies Record<string, LimitRow>;
