import type { Logger } from "@ledge/host/logger";
import type { Clock } from "@ledge/kernel";
import { Refused, siteKey } from "@ledge/link";
import { limits } from "@ledge/model";
import type { RequestedLogin } from "../accounts/logins.ts";
import type { Sent } from "../hubs/sharing.ts";
import type { Site } from "../http/sites.ts";
import type { EgressTarget } from "../model/egress-state.ts";
import type { Language } from "../model/languages.ts";
import { filledText, type MailText, mailTexts } from "./mail-texts.ts";
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
    language: Language,
  ): Promise<Refused | undefined> {
    const values = { password, longPassword, time: timeOf(expires) };
    return this.#send(place, limits.mailsSending, filled(email, mailTexts[language].login, values));
  }

  invitation(sent: Sent, site: Site, language: Language): Promise<Refused | undefined> {
    const values = this.#valuesOf(sent, site, "/user/invite/accept");
    return this.#notify(
      this.#invitations,
      sent.by,
      filled(sent.email, mailTexts[language].invitation, values),
    );
  }

  offer(sent: Sent, site: Site, language: Language): Promise<Refused | undefined> {
    const values = this.#valuesOf(sent, site, "/user/ownership/accept");
    return this.#notify(this.#invitations, sent.by, filled(sent.email, mailTexts[language].offer, values));
  }

  #valuesOf(sent: Sent, site: Site, path: string): Record<"by" | "hub" | "time" | "link", string> {
    const { by, hubName, expires } = sent;
    return { by, hub: shownName(hubName), time: timeOf(expires), link: this.#link(sent, site, path) };
  }

  /**
   * Tells an address that a hub named it. Any hub can name any address, so the mail contains nothing that the
   * hub chose.
   */
  claimed(email: string, hubId: string, from: string, language: Language): Promise<Refused | undefined> {
    return this.#notify(this.#claims, hubId, filled(email, mailTexts[language].claimed, { from }));
  }

  /** Tells an owner of a tenant that the cloud sends nothing to an egress target any more. */
  egressStopped(
    email: string,
    { siteId, target: { id, settings, stop } }: { readonly siteId: string; readonly target: EgressTarget },
    language: Language,
  ): Promise<Refused | undefined> {
    const texts = mailTexts[language];
    const why = filledText(stop?.reason === "gone" ? texts.egressGone : texts.egressFailing, {
      hours: limits.egressVainMs / 3_600_000,
    });
    const { host } = new URL(settings.url);
    const days = limits.egressKeptMs / 86_400_000;
    const values = { target: id, site: siteId, why, host, days };
    return this.#notify(this.#egress, siteId, filled(email, texts.egressStopped, values));
  }

  #link({ hubId, code }: Sent, { prefix }: Site, path: string): string {
    return `${this.#address()}${prefix}${path}?code=${encodeURIComponent(`${hubId}.${code}`)}`;
  }

  /**
   * Sends a mail that nobody waits for. Its own limit keeps a flood of such mails from blocking passwords.
   */
  async #notify(share: MailShare, asker: string, mail: Mail): Promise<Refused | undefined> {
    const place = share.take(mail.to, asker, this.#clock.monotonic());
    if (typeof place === "number") return noMail;
    return this.#send(place, limits.noticesSending, mail);
  }

  async #send(place: Place, sendingMax: number, mail: Mail): Promise<Refused | undefined> {
    if (this.#sending >= sendingMax) {
      place.giveBack();
      this.failed++;
      return noMail;
    }
    this.#sending++;
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

/** Writes a mail: what is filled in stays on its line. */
function filled(
  to: string,
  { subject, lines }: MailText,
  values: Readonly<Record<string, string | number>>,
): Mail {
  const paragraphs = lines.map((line) => oneLine(filledText(line, values)));
  return { to, subject: oneLine(subject), text: `${paragraphs.join("\n\n")}\n` };
}

/** Puts text on one line: text from outside must not start a line of its own. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, " ").slice(0, limits.mailLineChars);
}

function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
