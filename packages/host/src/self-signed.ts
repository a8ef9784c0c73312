import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** A key pair and its certificate, both as PEM. */
export interface KeyAndCertificate {
  readonly key: string;
  readonly certificate: string;
}

/** The tags of DER (X.690). */
const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  /** `[0]` of a version, `[3]` of extensions, `[2]` of a DNS name. */
  version: 0xa0,
  extensions: 0xa3,
  dnsName: 0x82,
} as const;

const oids = {
  ecdsaWithSha256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
  commonName: [0x55, 0x04, 0x03],
  subjectAltName: [0x55, 0x1d, 0x11],
  basicConstraints: [0x55, 0x1d, 0x13],
} as const;

const forEver = [new Date("2020-01-01T00:00:00Z"), new Date("9999-12-31T23:59:59Z")] as const;

/**
 * Makes a P-256 key and a self-signed certificate (RFC 5280). By default it never expires: a board may not
 * know the date, and its users trust it by its fingerprint.
 * @param name the subject, and a DNS name besides `localhost`
 */
export function makeSelfSigned(
  name: string,
  [from, until]: readonly [Date, Date] = forEver,
): KeyAndCertificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = der(tags.sequence, oid(oids.ecdsaWithSha256));
  const subject = der(
    tags.sequence,
    der(tags.set, der(tags.sequence, oid(oids.commonName), der(tags.utf8String, Buffer.from(name)))),
  );
  const content = der(
    tags.sequence,
    der(tags.version, der(tags.integer, Buffer.of(2))),
    der(tags.integer, serial()),
    algorithm,
    subject,
    der(tags.sequence, time(from), time(until)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der(tags.extensions, der(tags.sequence, ...extensions([name, "localhost"]))),
  );
  const signature = der(tags.bitString, Buffer.of(0), sign("sha256", content, privateKey));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    certificate: pem(der(tags.sequence, content, algorithm, signature)),
  };
}

function extensions(names: readonly string[]): Buffer[] {
  const dnsNames = names.map((name) => der(tags.dnsName, Buffer.from(name)));
  const critical = der(tags.boolean, Buffer.of(0xff));
  return [
    der(tags.sequence, oid(oids.subjectAltName), der(tags.octetString, der(tags.sequence, ...dnsNames))),
    // Not a certificate authority.
    der(tags.sequence, oid(oids.basicConstraints), critical, der(tags.octetString, der(tags.sequence))),
  ];
}

/** Positive, and without leading zero bits, so that its length is fixed. */
function serial(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] as number) & 0x3f) | 0x40;
  return bytes;
}

/** The year has two digits up to 2049, and four from then on (RFC 5280, 4.1.2.5). */
function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/\.\d+|[-:T]/g, "");
  return date.getUTCFullYear() < 2050
    ? der(tags.utcTime, Buffer.from(digits.slice(2)))
    : der(tags.generalizedTime, Buffer.from(digits));
}

function oid(bytes: readonly number[]): Buffer {
  return der(tags.oid, Buffer.from(bytes));
}

function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}
