import { limits } from "@ledge/model";
import type { SMTPTransportOptions } from "nodemailer";

/** Where mail is handed in. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** `tls` from the first byte (port 465), `starttls` or nothing (587), `none` in the clear. */
  readonly security: "tls" | "starttls" | "none";
  /** Left out where the server asks for nobody. */
  readonly user?: string;
  readonly password?: string | undefined;
  /** How long the server may be silent. */
  readonly timeoutMs?: number;
  /** Certificates (PEM) that are trusted in place of the usual ones. */
  readonly ca?: string;
}

/** How nodemailer reaches a mail server. It reads no file and no address that a mail names. */
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
