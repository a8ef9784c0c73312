import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { MessageChannel } from "@ledge/model";
import type { Logger } from "@ledge/host/logger";
import type { Outgoing } from "@ledge/link/outgoing";
import type { Channel } from "./channel.ts";
import { journalChannel } from "./journal.ts";
import type { MessageSettings } from "./settings.ts";
import { smtpChannel } from "./smtp.ts";
import { webhookChannel } from "./webhook.ts";

/** Looks up secrets, which are not part of a profile. */
export type Credentials = (name: string) => string | undefined;

/**
 * Returns a lookup of the process's credentials: `smtp-password` is the variable `LEDGE_SMTP_PASSWORD`, else
 * the credential `ledge-smtp-password` that systemd passes.
 */
export function processCredentials(environment: Readonly<NodeJS.ProcessEnv> = process.env): Credentials {
  const folder = environment["CREDENTIALS_DIRECTORY"];
  return (name) => {
    const given = environment[`LEDGE_${name.toUpperCase().replaceAll("-", "_")}`];
    if (given !== undefined && given !== "") return given;
    if (folder === undefined) return undefined;
    try {
      return readFileSync(join(folder, `ledge-${name}`), "utf8").trim() || undefined;
    } catch {
      return undefined;
    }
  };
}

/** Every channel, or the reason why it is missing. */
export type Channels = Readonly<Record<MessageChannel, Channel | string>>;

/** Returns the channels that the profile and the credentials set up. */
export function channelsOf(
  { email, push, sms }: MessageSettings,
  credential: Credentials,
  seconds: () => number,
  logger: Logger,
  outgoing: Outgoing,
): Channels {
  const webhook = (name: "push" | "sms", settings: { url: string } | undefined): Channel | string => {
    if (settings === undefined) return missing(name);
    const secret = credential(`${name}-secret`);
    return secret === undefined
      ? lacking(`${name}-secret`)
      : webhookChannel({ ...settings, name, secret, seconds, outgoing });
  };
  return {
    email: email === undefined ? missing("email") : emailOf(email, credential("smtp-password")),
    push: webhook("push", push),
    sms: webhook("sms", sms),
    journal: journalChannel(logger),
  };
}

function emailOf(
  settings: NonNullable<MessageSettings["email"]>,
  password: string | undefined,
): Channel | string {
  if (settings.user !== undefined && password === undefined) return lacking("smtp-password");
  return smtpChannel({ ...settings, password });
}

function missing(name: string): string {
  return `the profile sets up no ${name}`;
}

function lacking(credential: string): string {
  return `the credential ${credential} is missing`;
}
