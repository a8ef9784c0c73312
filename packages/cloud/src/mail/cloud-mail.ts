import type { Logger } from "@ledge/host/logger";
import type { Clock } from "@ledge/kernel";
import { Refused, siteKey } from "@ledge/link";
import { limits } from "@ledge/model";
import type { RequestedLogin } from "../accounts/logins.ts";
import type { Sent } from "../hubs/sharing.ts";
import type { Site } from "../http/sites.ts";
import type { EgressTarget } from "../model/egress-state.ts";
import type { Mail, Mailer } from "./mailer.ts";
import { MailShare, type Place } from "./mail-share.ts";
import { shownName } from "./shown-name.ts";

/** Writes the cloud's mails to people. Each method returns 503 when it could not send the mail. */
export class CloudMail {
  readonly #mailer: Mailer;
  readonly #address: () => string;
  readonly #logger: Logger;
  readonly #clock: Pick<Clock, "monotonic">;
  /**
   * Each kind has a quota of its own, so that mails from hubs and owners never use up those for passwords.
   */
  readonly #logins = new MailShare(limits.loginMailsFirst, limits.loginMailsFurther);
  readonly #invitations = new MailShare(limits.invitationMailsFirst, limits.invitationMailsFurther);
  readonly #claims = new MailShare(limits.claimMailsFirst, limits.claimMailsFurther);
  readonly #egress = new MailShare(limits.egressMailsFirst, limits.egressMailsFurther);
  #sending = 0;
  /** Number of mails sent since the start, and of mails that failed. */
  sent = 0;
  failed = 0;

  /** @param address returns the URL (without a path) under which people reach the cloud */
  constructor(mailer: Mailer, address: () => string, logger: Logger, clock: Pick<Clock, "monotonic">) {
    this.#mailer = mailer;
    this.#clock = clock;
    this.#address = address;
    this.#logger = logger;
  }

  /**
   * Reserves a login mail before its password is made. The answer depends only on earlier requests, so it
   * does not reveal who has an account.
   * @param from the network address that asks for the password
   * @returns 429 when no mail would be sent
   */
  placeForLogin(email: string, from: string): Place | Refused {
    const place = this.#logins.take(email, siteKey(from), this.#clock.monotonic());
    return typeof place === "number" ? new Refused(429, enough, [], place) : place;
  }

  /** Sends a one-time password and the long password that goes with it. */
  login(
    { email, password, longPassword, expires }: RequestedLogin,
    place: Place,
  ): Promise<Refused | undefined> {
    return this.#send(place, limits.mailsSending, email, "Your password", [
      `Log in with this password: ${password}`,
      `If it is refused because others have tried to guess it, use this one: ${longPassword}`,
      `You can use one of them, once, until ${timeOf(expires)}.`,
      "If you did not ask for this mail, somebody else entered your address. You can ignore it.",
    ]);
  }

  invitation(sent: Sent, site: Site): Promise<Refused | undefined> {
    return this.#notify(this.#invitations, sent.by, sent.email, "Invitation to a hub", [
      `${sent.by} invites you to a hub called ${shownName(sent.hubName)}.`,
      `To accept, follow this link before ${timeOf(sent.expires)}, or log in with this address and accept there:`,
      this.#link(sent, site, "/user/invite/accept"),
      "If you do not know this person, ignore this mail.",
    ]);
  }

  offer(sent: Sent, site: Site): Promise<Refused | undefined> {
    return this.#notify(this.#invitations, sent.by, sent.email, "A hub is offered to you", [
      `${sent.by} offers you a hub called ${shownName(sent.hubName)}. If you accept, you become its owner.`,
      `To accept, follow this link before ${timeOf(sent.expires)}:`,
      this.#link(sent, site, "/user/ownership/accept"),
      "If you do not know this person, ignore this mail.",
    ]);
  }

  /**
   * Tells an address that a hub named it. Any hub can name any address, so the mail contains nothing that the
   * hub chose.
   */
  claimed(email: string, hubId: string, from: string): Promise<Refused | undefined> {
    return this.#notify(this.#claims, hubId, email, "A hub names you as its owner", [
      `A hub was set up with this address as its owner, from the network address ${from}.`,
      "Log in with this address to use the hub. If it is not yours, leave it: your list of hubs shows which one it is.",
    ]);
  }

  /** Tells an owner of a tenant that the cloud sends nothing to an egress target any more. */
  egressStopped(
    email: string,
    { siteId, target: { id, settings, stop } }: { readonly siteId: string; readonly target: EgressTarget },
  ): Promise<Refused | undefined> {
    const why =
      stop?.reason === "gone"
        ? "It answered that it is gone (410)."
        : `It has accepted nothing for ${limits.egressVainMs / 3_600_000} hours.`;
    return this.#notify(this.#egress, siteId, email, "Events of a site are not sent any more", [
      `The cloud has disabled the egress target ${id} of the site ${siteId}. ${why}`,
      `It sent to the host ${new URL(settings.url).host}.`,
      `The events wait for ${limits.egressKeptMs / 86_400_000} days. To have them sent, repair the receiver and enable the target again.`,
    ]);
  }

  #link({ hubId, code }: Sent, { prefix }: Site, path: string): string {
    return `${this.#address()}${prefix}${path}?code=${encodeURIComponent(`${hubId}.${code}`)}`;
  }

  /**
   * Sends a mail that nobody waits for. Its own limit keeps a flood of such mails from blocking passwords.
   */
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

/** Puts text on one line: text from outside must not start a line of its own. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, " ").slice(0, limits.mailLineChars);
}

function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
