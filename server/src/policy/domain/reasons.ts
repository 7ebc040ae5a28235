/**
 * Why a decision, a phase or one policy has its result: the closed list of codes in explanations and access records. A
 * code is never reused for another meaning.
 */
export const reasonCodes = {
  // of a decision, and of its phases
  permitted: 'every phase grants',
  operation_permitted: 'the policy of the operation grants, and no other phase is asked',
  operation_passed: 'the policy of the operation leaves it to the other phases',
  operation_denied: 'the policy of the operation denies',
  operation_unknown: 'no domain has an entry that matches the operation',
  operation_ambiguous: 'more than one domain has an entry that matches the operation',
  identity_permitted: 'a role of the principal grants',
  identity_denied: 'no role of the principal grants',
  identity_missing: 'the principal has no role',
  resource_permitted: "the policy of the resource's group grants",
  resource_denied: "the policy of the resource's group denies",
  resource_unknown: 'the resource has no group, and there is no default one',
  resource_ambiguous: 'more than one domain has a group for the resource',
  scope_permitted: 'a scope grants',
  scope_missing: 'the principal has no scope, which grants',
  scope_denied: 'no scope of the principal grants',
  input_invalid: 'the question cannot be asked',
  evaluation_failed: 'the policies could not be evaluated',
  no_policies: 'there are no policies',
  // of one policy
  policy_grants: 'it grants',
  policy_denies: 'it denies',
  policy_passes: 'it leaves it to the other phases',
  policy_undefined: 'data.authz.allow is undefined',
  policy_wrong_type: 'data.authz.allow is of a type that the phase does not take',
  policy_error: 'it could not be evaluated',
  policy_missing: 'there is none',
  scope_builtin: 'this scope always grants',
} as const;

export type ReasonCode = keyof typeof reasonCodes;
