import { X509Certificate } from "node:crypto";
import { unwatchFile, watchFile } from "node:fs";
import type { Server as TlsServer } from "node:https";
import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import type { Logger } from "./logger.ts";
import type { KeyAndCertificate } from "./self-signed.ts";
import { replaceCertificate } from "./server.ts";

/** From when until when certificates hold (ms since the epoch). */
export interface Validity {
  readonly from: number;
  readonly until: number;
}

/** Whether it is time to renew: a certificate that is `expiring` is still good, one that is `expired` is refused. */
export type Expiry = "good" | "expiring" | "expired";

/**
 * When a certificate holds together with those between it and a root: as long as each of them.
 * @param pem one or more certificates
 * @throws Error when there is none that can be read
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
 * Certificates of a few days are renewed late in their life, so that a share of it counts where that is less.
 * @param now ms since the epoch
 */
export function expiryAt({ from, until }: Validity, now: number): Expiry {
  if (now >= until) return "expired";
  const warnMs = Math.min(limits.certificateWarnMs, ((until - from) * limits.certificateWarnPercent) / 100);
  return until - now <= warnMs ? "expiring" : "good";
}

/** Until when a certificate is good, for people. */
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
  /** Whether it is known what day it is: until then nothing is said. */
  readonly isClockTrusted: () => boolean;
  /** Of the certificate that is served now; undefined while there is none. */
  readonly validity: () => Validity | undefined;
  /** Told of the first finding, and whenever it is another or of another certificate. */
  readonly found: (expiry: Expiry, until: number) => void;
}

/** Looks now and then whether a certificate has to be renewed. */
export class ExpiryWatch {
  readonly #options: ExpiryWatchOptions;
  #told = "";
  #cancel: () => void = () => {};

  constructor(options: ExpiryWatchOptions) {
    this.#options = options;
    this.look();
  }

  /** Looks at once, as the certificate may be another now. */
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
  /** Files that are looked at. */
  readonly files: readonly string[];
  /** Reads them. @throws Error when they are not good */
  readonly read: () => KeyAndCertificate;
  readonly logger: Logger;
  /** How often the files are looked at (ms). */
  readonly checkMs?: number;
  /** After the server has taken another certificate. */
  readonly taken?: (certificate: string) => void;
}

/**
 * Has a server answer with what its files hold, whenever they change. While they are not good it goes on with what it has.
 * @returns `reload` reads them at once, `stop` is the end
 */
export function followCertificate(
  server: TlsServer,
  { files, read, logger, checkMs = limits.certificateCheckMs, taken }: FollowOptions,
): { readonly reload: () => void; readonly stop: () => void } {
  const reload = (): void => {
    try {
      const { key, certificate } = read();
      replaceCertificate(server, key, certificate);
      const { validTo: until, fingerprint256: fingerprint } = new X509Certificate(certificate);
      logger.info({ until, fingerprint }, "the certificate was read anew");
      taken?.(certificate);
    } catch (error) {
      logger.error({ error }, "the certificate cannot be read: the former one stays");
    }
  };
  for (const file of files) watchFile(file, { interval: checkMs, persistent: false }, reload);
  return {
    reload,
    stop: () => {
      for (const file of files) unwatchFile(file, reload);
    },
  };
}
