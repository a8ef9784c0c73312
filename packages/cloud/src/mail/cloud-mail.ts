import type { Logger } from "@ledge/host/logger";
import type { Clock } from "@ledge/kernel";
import { Refused, siteKey } from "@ledge/link";
import { limits } from "@ledge/model";
import type { RequestedLogin } from "../accounts/logins.ts";
import type { Sent } from "../hubs/sharing.ts";
import type { Site } from "../http/sites.ts";
import type { Mail, Mailer } from "./mailer.ts";
import { MailShare, type Place } from "./mail-share.ts";
import { shownName } from "./shown-name.ts";

/** What the cloud writes to people. Each returns 503 when the mail could not be sent. */
export class CloudMail {
  readonly #mailer: Mailer;
  readonly #address: () => string;
  readonly #logger: Logger;
  readonly #clock: Pick<Clock, "monotonic">;
  /** Each kind counts by itself: what hubs and their owners send leaves everybody their passwords. */
  readonly #logins = new MailShare(limits.loginMailsFirst, limits.loginMailsFurther);
  readonly #invitations = new MailShare(limits.invitationMailsFirst, limits.invitationMailsFurther);
  readonly #claims = new MailShare(limits.claimMailsFirst, limits.claimMailsFurther);
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

  /**
   * Counts a password to an address before it is made. The answer depends on requests alone, so that nobody learns
   * from it who has an account.
   * @param from the address of the network that asks for it
   * @returns 429 when no mail would be sent
   */
  placeForLogin(email: string, from: string): Place | Refused {
    const place = this.#logins.take(email, siteKey(from), this.#clock.monotonic());
    return typeof place === "number" ? new Refused(429, enough, [], place) : place;
  }

  login(
    { email, password, longPassword, expires }: RequestedLogin,
    place: Place,
  ): Promise<Refused | undefined> {
    return this.#send(place, limits.mailsSending, email, "Your password", [
      `Log in with this password: ${password}`,
      `If it is refused because others have guessed at it, use this one: ${longPassword}`,
      `One of them is good, once, until ${timeOf(expires)}.`,
      "If you did not ask for it, somebody else typed your address. Ignore this mail.",
    ]);
  }

  invitation(sent: Sent, site: Site): Promise<Refused | undefined> {
    return this.#notify(this.#invitations, sent.by, sent.email, "Invitation to a hub", [
      `${sent.by} invites you to a hub that they call ${shownName(sent.hubName)}.`,
      `Accept until ${timeOf(sent.expires)}: follow this link, or log in with this address and accept it there.`,
      this.#link(sent, site, "/user/invite/accept"),
      "If you do not know them, ignore this mail.",
    ]);
  }

  offer(sent: Sent, site: Site): Promise<Refused | undefined> {
    return this.#notify(this.#invitations, sent.by, sent.email, "A hub is offered to you", [
      `${sent.by} offers you a hub that they call ${shownName(sent.hubName)}. You would be its owner.`,
      `Accept until ${timeOf(sent.expires)} by this link:`,
      this.#link(sent, site, "/user/ownership/accept"),
      "If you do not know them, ignore this mail.",
    ]);
  }

  /** Any hub can name any address: nothing that it says of itself stands in the mail. */
  claimed(email: string, hubId: string, from: string): Promise<Refused | undefined> {
    return this.#notify(this.#claims, hubId, email, "A hub names you as its owner", [
      `A hub was set up with this address as its owner, from the network address ${from}.`,
      "Log in with this address to reach it. If it is not yours, leave it there: your list of hubs says which one it is.",
    ]);
  }

  #link({ hubId, code }: Sent, { prefix }: Site, path: string): string {
    return `${this.#address()}${prefix}${path}?code=${encodeURIComponent(`${hubId}.${code}`)}`;
  }

  /** Sends what nobody waits for: a crowd of these keeps no password from being sent. */
  async #notify(
    share: MailShare,
    asker: string,
    to: string,
    subject: string,
    lines: readonly string[],
  ): Promise<Refused | undefined> {
    const place = share.take(to, asker, this.#clock.monotonic());
    if (typeof place === "number") return noMail;
    return this.#send(place, limits.noticesSending, to, subject, lines);
  }

  async #send(
    place: Place,
    sendingMax: number,
    to: string,
    subject: string,
    lines: readonly string[],
  ): Promise<Refused | undefined> {
    if (this.#sending >= sendingMax) {
      place.giveBack();
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
      place.giveBack();
      this.failed++;
      this.#logger.error({ reason: (error as Error).message }, "a mail could not be sent");
      return noMail;
    } finally {
      this.#sending--;
    }
  }
}

const enough = "enough passwords have been sent to this address: log in with one of them, or try again later";

const noMail = new Refused(503, "the mail could not be sent: try again later", [], 60);

/** What comes from outside begins no line of its own. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, " ").slice(0, limits.mailLineChars);
}

function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
