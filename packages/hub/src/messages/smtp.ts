import { type SmtpServer, smtpTransport } from "@ledge/host/smtp";
import { limits } from "@ledge/model";
import type { NodemailerError, SendMailOptions } from "nodemailer";
import type { Channel, OutgoingMessage } from "./channel.ts";
import { ChannelError } from "./channel.ts";
import type { SmtpSettings } from "./settings.ts";

export interface SmtpOptions extends SmtpServer, Pick<SmtpSettings, "from"> {}

/** Returns a channel that sends e-mail through a mail server, each message on its own connection. */
export function smtpChannel(options: SmtpOptions): Channel {
  const transport = smtpTransport(options);
  return {
    name: "email",
    reaches: ({ user_info }) => user_info.user.email !== "",
    async send(message) {
      const { createTransport } = await import("nodemailer");
      const sending = createTransport(transport).sendMail(mailOf(message, options.from));
      try {
        await sending;
      } catch (error) {
        throw faultOf(error as NodemailerError);
      }
    },
  };
}

function mailOf({ id, level, text, hub, queuedAt, to }: OutgoingMessage, from: string): SendMailOptions {
  const line = text.replaceAll(/\s+/g, " ");
  return {
    from: { name: hub, address: from },
    to: { name: "", address: to?.email ?? "" },
    subject: `${hub}: ${line}`.slice(0, limits.subjectChars),
    text: `${text}\n`,
    date: new Date(queuedAt),
    messageId: `<${id}@${from.slice(from.indexOf("@") + 1)}>`,
    priority: level === "err" ? "high" : "normal",
    headers: { "Auto-Submitted": "auto-generated" },
  };
}

/** Reports only the code of the server's answer, because its text may name the recipient. */
function faultOf({ code, responseCode }: NodemailerError): ChannelError {
  if (code === "EAUTH") return new ChannelError("down", "the server refused the user or the password");
  if (code === "ETIMEDOUT") return new ChannelError("down", "the server did not answer in time");
  // Any other error is not about this recipient or mail, so every mail would fail in the same way.
  const isAboutMail = code === "EENVELOPE" || code === "EMESSAGE";
  if (!isAboutMail || responseCode === undefined || responseCode === 421)
    return new ChannelError("down", `the server could not be reached: ${code ?? "unknown"}`);
  const fault = responseCode >= 500 ? "refused" : "later";
  return new ChannelError(fault, `the server answered ${responseCode}`);
}
