import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import type { Server as TlsServer } from "node:https";
import type { Validity } from "@ledge/host/certificate";
import { type Expiry, expiryAt, ExpiryWatch, followCertificate, validityOf } from "@ledge/host/certificate";
import type { Logger } from "@ledge/host/logger";
import type { KeyAndCertificate } from "@ledge/host/self-signed";
import type { Clock } from "@ledge/kernel";

/** Files (PEM): a private key, and its certificate with the intermediate ones. */
export interface CertificateFiles {
  readonly key: string;
  readonly certificate: string;
}

/**
 * Reads and checks a certificate and its key.
 * @throws Error when a file cannot be read, the key is open to everybody, or the files do not match
 */
export function readCertificate(files: CertificateFiles): KeyAndCertificate {
  const pair = readFiles(files);
  requirePair(files, pair);
  return pair;
}

/** @throws Error when a file cannot be read, or the key is open to everybody */
export function readFiles({ key: keyFile, certificate: file }: CertificateFiles): KeyAndCertificate {
  const key = readFileSync(keyFile, "utf8");
  const certificate = readFileSync(file, "utf8");
  if ((statSync(keyFile).mode & 0o007) !== 0)
    throw new Error(`${keyFile} is a private key that everybody can read: run chmod 600 on it`);
  return { key, certificate };
}

/** @throws Error when the files do not match */
export function requirePair(files: CertificateFiles, { key, certificate }: KeyAndCertificate): void {
  if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
    throw new Error(`${files.key} is not the key of ${files.certificate}`);
}

/** How long the listener's certificate is valid. */
export interface CertificateState {
  /** ms since the epoch. */
  readonly until: number;
  readonly expiry: Expiry;
}

/**
 * Keeps the certificate of a server up to date: reloads it when its files change and on SIGHUP, and logs when
 * it must be renewed.
 */
export class KeptCertificate {
  readonly #clock: Pick<Clock, "wall" | "after">;
  readonly #stop: () => void;
  #validity: Validity;

  /** @param present what the server uses now (PEM) */
  constructor(
    server: TlsServer,
    files: CertificateFiles,
    present: KeyAndCertificate,
    { clock, logger }: { readonly clock: Pick<Clock, "wall" | "after">; readonly logger: Logger },
  ) {
    this.#clock = clock;
    this.#validity = validityOf(present.certificate);
    const watch = new ExpiryWatch({
      clock,
      isClockTrusted: () => true,
      validity: () => this.#validity,
      found: (expiry, until) => say(logger, expiry, until),
    });
    const following = followCertificate(server, {
      present,
      read: () => readFiles(files),
      check: (pair) => requirePair(files, pair),
      logger,
      taken: (pem) => {
        this.#validity = validityOf(pem);
        watch.look();
      },
    });
    process.on("SIGHUP", following.reload);
    this.#stop = () => {
      process.off("SIGHUP", following.reload);
      following.stop();
      watch.stop();
    };
  }

  get state(): CertificateState {
    return { until: this.#validity.until, expiry: expiryAt(this.#validity, this.#clock.wall()) };
  }

  stop(): void {
    this.#stop();
  }
}

function say(logger: Logger, expiry: Expiry, at: number): void {
  const until = new Date(at).toISOString();
  if (expiry === "expired") logger.error({ until }, "the certificate has expired: renew it");
  if (expiry === "expiring") logger.warn({ until }, "the certificate expires soon: renew it");
}
