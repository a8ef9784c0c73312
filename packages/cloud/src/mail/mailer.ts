/** A mail to one address, as plain text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** A way to send mails. */
export interface Mailer {
  /**
   * Sends a mail; resolves when the mail has been accepted.
   * @throws MailError
   */
  send(mail: Mail): Promise<void>;
}

/** A mail was not accepted. The message goes to the log: it contains nothing personal and no secret. */
export class MailError extends Error {
  override readonly name = "MailError";
}
