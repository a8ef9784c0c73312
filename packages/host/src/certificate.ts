import { X509Certificate } from "node:crypto";
import type { Server as TlsServer } from "node:https";
import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import type { Logger } from "./logger.ts";
import type { KeyAndCertificate } from "./self-signed.ts";
import { replaceCertificate } from "./server.ts";

/** The validity of certificates (ms since the epoch). */
export interface Validity {
  readonly from: number;
  readonly until: number;
}

/** Whether to renew a certificate: `expiring` is still valid, `expired` is refused. */
export type Expiry = "good" | "expiring" | "expired";

/**
 * Returns when a certificate and all those between it and a root are valid.
 * @param pem one or more certificates
 * @throws Error when none can be read
 */
export function validityOf(pem: string): Validity {
  const each = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [pem];
  const found = each.map((one) => new X509Certificate(one));
  return {
    from: Math.max(...found.map(({ validFromDate }) => validFromDate.getTime())),
    until: Math.min(...found.map(({ validToDate }) => validToDate.getTime())),
  };
}

/**
 * Returns whether to renew at a time. Certificates for a few days are renewed late, so for them only a share
 * of their lifetime counts.
 * @param now ms since the epoch
 */
export function expiryAt({ from, until }: Validity, now: number): Expiry {
  if (now >= until) return "expired";
  const warnMs = Math.min(limits.certificateWarnMs, ((until - from) * limits.certificateWarnPercent) / 100);
  return until - now <= warnMs ? "expiring" : "good";
}

/** Returns until when a certificate is valid, for people. */
export function goodUntil({
  until,
  expiry,
}: {
  readonly until: number;
  readonly expiry: Expiry | null;
}): string {
  const at = new Date(until).toISOString();
  if (expiry === "expired") return `expired on ${at}: renew it`;
  return `good until ${at}${expiry === "expiring" ? ": renew it" : ""}`;
}

export interface ExpiryWatchOptions {
  readonly clock: Pick<Clock, "wall" | "after">;
  /** Whether the clock is right; until then nothing is reported. */
  readonly isClockTrusted: () => boolean;
  /** Returns the validity of the present certificate; undefined while there is none. */
  readonly validity: () => Validity | undefined;
  /** Called with the first finding, and with each new finding or certificate. */
  readonly found: (expiry: Expiry, until: number) => void;
}

/** Checks now and then whether a certificate has to be renewed. */
export class ExpiryWatch {
  readonly #options: ExpiryWatchOptions;
  #told = "";
  #cancel: () => void = () => {};

  constructor(options: ExpiryWatchOptions) {
    this.#options = options;
    this.look();
  }

  /** Checks at once, for example after a change of the certificate. */
  look(): void {
    this.#cancel();
    const { clock, isClockTrusted, validity, found } = this.#options;
    this.#cancel = clock.after(limits.certificateExpiryCheckMs, () => this.look());
    const held = isClockTrusted() ? validity() : undefined;
    if (held === undefined) return;
    const expiry = expiryAt(held, clock.wall());
    const finding = `${expiry} ${held.until}`;
    if (finding === this.#told) return;
    this.#told = finding;
    found(expiry, held.until);
  }

  stop(): void {
    this.#cancel();
  }
}

export interface FollowOptions {
  /** The pair that the server uses now. */
  readonly present: KeyAndCertificate;
  /**
   * Reads the files.
   * @throws Error when they are not usable
   */
  readonly read: () => KeyAndCertificate;
  /**
   * Checks a pair that the server does not use yet, as that takes time.
   * @throws Error when it is not usable
   */
  readonly check?: (pair: KeyAndCertificate) => void;
  readonly logger: Logger;
  /** How often to check the files (ms). */
  readonly checkMs?: number;
  /** Called after the server has taken another certificate. */
  readonly taken?: (certificate: string) => void;
}

/**
 * Lets a server use the certificate in files, and reloads it when they change. While they are not usable, the
 * server keeps its present one, and the log says so once. What the files hold is compared, not their times:
 * those miss a renewal between the start and the first look, and one within a tick of the file system.
 * @returns `reload` reads the files at once, `stop` ends the watch
 */
export function followCertificate(
  server: TlsServer,
  { present, read, check = () => {}, logger, checkMs = limits.certificateCheckMs, taken }: FollowOptions,
): { readonly reload: () => void; readonly stop: () => void } {
  let used = present;
  let problem = "";
  const take = (isAsked: boolean): void => {
    try {
      const { key, certificate } = read();
      if (isAsked || key !== used.key || certificate !== used.certificate) {
        check({ key, certificate });
        replaceCertificate(server, key, certificate);
        used = { key, certificate };
        const { validTo: until, fingerprint256: fingerprint } = new X509Certificate(certificate);
        logger.info({ until, fingerprint }, "the certificate was reloaded");
        taken?.(certificate);
      }
      problem = "";
    } catch (error) {
      const { message } = error as Error;
      if (isAsked || message !== problem)
        logger.error({ error }, "the certificate cannot be read: the old one stays in use");
      problem = message;
    }
  };
  const timer = setInterval(() => take(false), checkMs).unref();
  return { reload: () => take(true), stop: () => clearInterval(timer) };
}
