/** One mistake that could be made in the product, and which test should notice it. */
export interface Mutation {
  readonly name: string;
  /** From the root of the repository. */
  readonly file: string;
  /** The original text, exactly once … */
  readonly from: string;
  /** … and the text that replaces it. */
  readonly to: string;
  /** What goes wrong then, in a few words. */
  readonly breaks: string;
  /** The sentence of the specification that it breaks, or where else the rule is documented. */
  readonly rule: string;
  /** Whether that sentence is one of the specification: then `npm test` must notice. */
  readonly isSpec: boolean;
  /**
   * Test files that should notice: the ends of their paths without folder, kind and extension, such as `http/runs` or
   * `waiting`. So they are found wherever they are moved to. They are run in the order of what their suites cost.
   */
  readonly noticedBy: readonly string[];
}
