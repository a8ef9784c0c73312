import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, statSync, unwatchFile, watchFile } from "node:fs";
import type { Server as TlsServer } from "node:https";
import type { Logger } from "@ledge/host/logger";
import type { KeyAndCertificate } from "@ledge/host/self-signed";
import { replaceCertificate } from "@ledge/host/server";
import { limits } from "@ledge/model";

/** Files (PEM): a private key, and its certificate with those between it and a root. */
export interface CertificateFiles {
  readonly key: string;
  readonly certificate: string;
}

/** @throws Error when a file cannot be read, is open to everybody, or they do not belong together */
export function readCertificate({ key: keyFile, certificate: file }: CertificateFiles): KeyAndCertificate {
  const key = readFileSync(keyFile, "utf8");
  const certificate = readFileSync(file, "utf8");
  if ((statSync(keyFile).mode & 0o007) !== 0)
    throw new Error(`${keyFile} is a key and open to everybody: chmod 600 it`);
  if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
    throw new Error(`${keyFile} is not the key of ${file}`);
  return { key, certificate };
}

/**
 * Has a server answer with what its files hold, whenever they change, and on SIGHUP. While they are not good it goes
 * on with what it has.
 * @param checkMs how often the files are looked at
 * @returns its end
 */
export function followCertificate(
  server: TlsServer,
  files: CertificateFiles,
  logger: Logger,
  checkMs: number = limits.certificateCheckMs,
): () => void {
  const reload = (): void => {
    try {
      const { key, certificate } = readCertificate(files);
      replaceCertificate(server, key, certificate);
      const { validTo: until, fingerprint256: fingerprint } = new X509Certificate(certificate);
      logger.info({ until, fingerprint }, "the certificate was read anew");
    } catch (error) {
      logger.error({ error }, "the certificate cannot be read: the former one stays");
    }
  };
  const watched = [files.key, files.certificate];
  for (const file of watched) watchFile(file, { interval: checkMs, persistent: false }, reload);
  process.on("SIGHUP", reload);
  return () => {
    for (const file of watched) unwatchFile(file, reload);
    process.off("SIGHUP", reload);
  };
}
