import { type SmtpServer, smtpTransport } from "@ledge/host/smtp";
import type { NodemailerError } from "nodemailer";
import { MailError, type Mailer } from "./mailer.ts";

export interface SmtpMailerOptions extends SmtpServer {
  /** The address that mails come from. */
  readonly from: string;
}

/** Hands mails to a mail server, each on a connection of its own. */
export function smtpMailer(options: SmtpMailerOptions): Mailer {
  const transport = smtpTransport(options);
  return {
    async send({ to, subject, text }) {
      const { createTransport } = await import("nodemailer");
      try {
        await createTransport(transport).sendMail({
          from: { name: "Ledge", address: options.from },
          to: { name: "", address: to },
          subject,
          text,
          headers: { "Auto-Submitted": "auto-generated" },
        });
      } catch (error) {
        // What the server says may name the recipient: only its code is told.
        const { code, responseCode } = error as NodemailerError;
        throw new MailError(`the mail server did not take a mail: ${responseCode ?? code ?? "unknown"}`);
      }
    },
  };
}
