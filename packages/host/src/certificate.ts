import { X509Certificate } from "node:crypto";
import { unwatchFile, watchFile } from "node:fs";
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
  /** The files to watch. */
  readonly files: readonly string[];
  /**
   * Reads the files.
   * @throws Error when they are not usable
   */
  readonly read: () => KeyAndCertificate;
  readonly logger: Logger;
  /** How often to check the files (ms). */
  readonly checkMs?: number;
  /** Called after the server has taken another certificate. */
  readonly taken?: (certificate: string) => void;
}

/**
 * Lets a server use the certificate in files, and reloads it when they change. While they are not usable, the
 * server keeps its present one.
 * @returns `reload` reads the files at once, `stop` ends the watch
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
      logger.info({ until, fingerprint }, "the certificate was reloaded");
      taken?.(certificate);
    } catch (error) {
      logger.error({ error }, "the certificate cannot be read: the old one stays in use");
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
