import { type SmtpServer, smtpTransport } from "@ledge/host/smtp";
import type { NodemailerError } from "nodemailer";
import { MailError, type Mailer } from "./mailer.ts";

export interface SmtpMailerOptions extends SmtpServer {
  /** Sender address of the mails. */
  readonly from: string;
}

/** Sends mails through a mail server, each over a connection of its own. */
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
        // The server's answer may name the recipient, so the error contains only its code.
        const { code, responseCode } = error as NodemailerError;
        throw new MailError(`the mail server did not accept a mail: ${responseCode ?? code ?? "unknown"}`);
      }
    },
  };
}
