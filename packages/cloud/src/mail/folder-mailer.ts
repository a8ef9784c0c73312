import { mkdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Mail, MailError, type Mailer } from "./mailer.ts";

/**
 * Writes mails into a folder, one file each, for trying a cloud out without a mail server. Only the owner of
 * the files can read them: mails contain secrets.
 * @param now ms since the epoch
 * @throws Error of node:fs when the folder cannot be made
 */
export function folderMailer(folder: string, now: () => number): Mailer {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let count = 0;
  return {
    async send(mail) {
      const time = new Date(now()).toISOString();
      const address = mail.to.replaceAll(/[^\w.@+-]/g, "_").slice(0, 100);
      const name = `${time.replaceAll(":", "-")}-${++count}-${address}.eml`;
      try {
        await writeFile(join(folder, name), textOf(mail, time), { mode: 0o600, flag: "wx" });
      } catch (error) {
        throw new MailError(`the mail's file could not be written: ${(error as NodeJS.ErrnoException).code}`);
      }
    },
  };
}

function textOf({ to, subject, text }: Mail, time: string): string {
  return `To: ${to}\nSubject: ${subject}\nDate: ${time}\n\n${text}`;
}
