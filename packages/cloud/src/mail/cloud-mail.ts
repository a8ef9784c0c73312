import type { Logger } from "@ledge/host/logger";
import type { Clock } from "@ledge/kernel";
import { Buckets, Refused } from "@ledge/link";
import { foldedEmail, limits } from "@ledge/model";
import type { RequestedLogin } from "../logins.ts";
import type { Sent } from "../sharing.ts";
import type { Site } from "../http/sites.ts";
import type { Mail, Mailer } from "./mailer.ts";
import { shownName } from "./shown-name.ts";

/**
 * What a mail is about. Each kind is counted apart, so that no stranger's hub and no stranger's invitation takes the place
 * of somebody's password.
 */
type MailKind = "login" | "invitation" | "claim";

/** What the cloud writes to people. Each returns 503 when the mail could not be sent. */
export class CloudMail {
  readonly #mailer: Mailer;
  readonly #address: () => string;
  readonly #logger: Logger;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #perEmail = {
    login: new Buckets(limits.mailsPerEmail, limits.allowances, limits.allowanceMs),
    invitation: new Buckets(limits.mailsPerEmail, limits.allowances, limits.allowanceMs),
    claim: new Buckets(limits.mailsPerEmail, limits.allowances, limits.allowanceMs),
  } satisfies Record<MailKind, Buckets>;
  #sending = 0;
  /** Mails since the start, and those that could not be sent. */
  sent = 0;
  failed = 0;

  /** @param address under which people reach the cloud (URL without a path) */
  constructor(mailer: Mailer, address: () => string, logger: Logger, clock: Pick<Clock, "monotonic">) {
    this.#mailer = mailer;
    this.#clock = clock;
    this.#address = address;
    this.#logger = logger;
  }

  /** To whom `takesLogin` has counted it. */
  login({ email, password, longPassword, expires }: RequestedLogin): Promise<Refused | undefined> {
    return this.#send("login", email, "Your password", [
      `Log in with this password: ${password}`,
      `If it is refused because others have guessed at it, use this one: ${longPassword}`,
      `One of them is good, once, until ${timeOf(expires)}.`,
      "If you did not ask for it, somebody else typed your address. Ignore this mail.",
    ]);
  }

  invitation(sent: Sent, site: Site): Promise<Refused | undefined> {
    return this.#sendCounted("invitation", sent.email, "Invitation to a hub", [
      `${sent.by} invites you to a hub that they call ${shownName(sent.hubName)}.`,
      `Accept until ${timeOf(sent.expires)}: log in with this address, or follow this link:`,
      this.#link(sent, site, "/user/invite/accept"),
      "If you do not know them, ignore this mail.",
    ]);
  }

  offer(sent: Sent, site: Site): Promise<Refused | undefined> {
    return this.#sendCounted("invitation", sent.email, "A hub is offered to you", [
      `${sent.by} offers you a hub that they call ${shownName(sent.hubName)}. You would be its owner.`,
      `Accept until ${timeOf(sent.expires)} by this link:`,
      this.#link(sent, site, "/user/ownership/accept"),
      "If you do not know them, ignore this mail.",
    ]);
  }

  /** Any hub can name any address: nothing that it says of itself stands in the mail. */
  claimed(email: string): Promise<Refused | undefined> {
    return this.#sendCounted("claim", email, "A hub names you as its owner", [
      "A hub was set up with this address as its owner.",
      "Log in with this address to reach it. If it is not yours, ignore this mail.",
    ]);
  }

  #link({ hubId, code }: Sent, { prefix }: Site, path: string): string {
    return `${this.#address()}${prefix}${path}?code=${encodeURIComponent(`${hubId}.${code}`)}`;
  }

  /** Counts a password's mail to an address, however that is written. @returns false when it has had enough for now */
  takesLogin(email: string): boolean {
    return this.#takes("login", email);
  }

  #takes(kind: MailKind, email: string): boolean {
    return this.#perEmail[kind].take(foldedEmail(email.trim()), this.#clock.monotonic()) === 0;
  }

  /** A mail that nobody has got counts for nothing. */
  #giveBack(kind: MailKind, email: string): void {
    this.#perEmail[kind].of(foldedEmail(email.trim()), this.#clock.monotonic()).left++;
  }

  async #sendCounted(
    kind: MailKind,
    to: string,
    subject: string,
    lines: readonly string[],
  ): Promise<Refused | undefined> {
    return this.#takes(kind, to) ? this.#send(kind, to, subject, lines) : noMail;
  }

  async #send(
    kind: MailKind,
    to: string,
    subject: string,
    lines: readonly string[],
  ): Promise<Refused | undefined> {
    if (this.#sending >= (kind === "login" ? limits.mailsSending : limits.noticesSending)) {
      this.#giveBack(kind, to);
      this.failed++;
      return noMail;
    }
    this.#sending++;
    const mail: Mail = { to, subject: oneLine(subject), text: `${lines.map(oneLine).join("\n\n")}\n` };
    try {
      await this.#mailer.send(mail);
      this.sent++;
      return undefined;
    } catch (error) {
      this.#giveBack(kind, to);
      this.failed++;
      this.#logger.error({ reason: (error as Error).message }, "a mail could not be sent");
      return noMail;
    } finally {
      this.#sending--;
    }
  }
}

const noMail = new Refused(503, "the mail could not be sent: try again later", [], 60);

/** What comes from outside begins no line of its own. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, " ").slice(0, limits.mailLineChars);
}

function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
