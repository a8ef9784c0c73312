import { limits } from "@ledge/model";
import type { SMTPTransportOptions } from "nodemailer";

/** A server that accepts mail. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** `tls` from the first byte (port 465), `starttls` required (587), or `none`. */
  readonly security: "tls" | "starttls" | "none";
  /** Left out when the server needs no login. */
  readonly user?: string;
  readonly password?: string | undefined;
  /** How long the server may be silent. */
  readonly timeoutMs?: number;
  /** Trusted certificates (PEM) in place of the usual ones. */
  readonly ca?: string;
}

/** Returns nodemailer's options for a mail server. It opens no file and no address that a mail names. */
export function smtpTransport(server: SmtpServer): SMTPTransportOptions {
  const { host, port, security, user, password, ca, timeoutMs = limits.channelTimeoutMs } = server;
  return {
    host,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    ...(user !== undefined && { auth: { user, pass: password ?? "" } }),
    ...(ca !== undefined && { tls: { ca } }),
    dnsTimeout: timeoutMs,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
