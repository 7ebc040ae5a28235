/** An error whose message the page may show as it is. */
export class DesktopFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
