/** A mail to one address, as plain text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** A way on which mails leave the cloud. */
export interface Mailer {
  /**
   * Resolves when the mail has been taken.
   * @throws MailError
   */
  send(mail: Mail): Promise<void>;
}

/** A mail was not taken. The message stands in the log: nothing personal, no secret. */
export class MailError extends Error {
  override readonly name = "MailError";
}
