import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import type { Answer, Question } from "dns-packet";

/** The facts that a hub announces to its network (RFC 6763). */
export interface Announcement {
  readonly hubId: string;
  readonly name: string;
  /** The port of the API. */
  readonly port: number;
  /** Further facts besides the name and the hub's hash. */
  readonly facts: Readonly<Record<string, string>>;
}

const service = "_ledge._tcp.local";
const everyService = "_services._dns-sd._udp.local";

/** How long others may keep a record (s): address records, and all others. */
const ttl = { address: 120, other: 4500 } as const;
/** The longest TTL (s) in an answer to a plain DNS client (RFC 6762, 6.7). */
const legacyTtl = 10;
/** The maximum size of one label of a name (bytes). */
const labelBytes = 63;

/** Returns the hash that identifies a hub on the network. Only holders of a key may know the id itself. */
export function hashOf(hubId: string): string {
  return createHash("sha256").update(hubId).digest("hex").slice(0, 12);
}

/** Returns the host name of a hub on its network. The hash makes it unique. */
export function hostNameOf(hubId: string): string {
  return `ledge-${hashOf(hubId).slice(0, 6)}.local`;
}

/**
 * Returns all records for one interface. The instance name also holds the hash, so that two hubs of the same
 * name do not conflict.
 */
export function recordsOf(
  { hubId, name, port, facts }: Announcement,
  addresses: readonly string[],
): Answer[] {
  const host = hostNameOf(hubId);
  const hash = hashOf(hubId);
  const instance = `${label(name, labelBytes - 7)} ${hash.slice(0, 6)}.${service}`;
  const text = Object.entries({ name: label(name, 200), id: hash, ...facts }).map(
    ([key, value]) => `${key}=${value}`,
  );
  return [
    { type: "PTR", name: everyService, ttl: ttl.other, data: service },
    { type: "PTR", name: service, ttl: ttl.other, data: instance },
    {
      type: "SRV",
      name: instance,
      ttl: ttl.address,
      flush: true,
      data: { port, target: host, priority: 0, weight: 0 },
    },
    { type: "TXT", name: instance, ttl: ttl.other, flush: true, data: text },
    ...addresses.map((address): Answer => {
      const type = isIPv6(address) ? "AAAA" : "A";
      return { type, name: host, ttl: ttl.address, flush: true, data: address };
    }),
  ];
}

/**
 * Returns the answers to questions, with the records that the asker will need next; empty when it knows the
 * answers.
 */
export function answersTo(
  questions: readonly Question[],
  known: readonly Answer[],
  records: readonly Answer[],
): { answers: Answer[]; additionals: Answer[] } {
  const asked = ({ name, type }: Answer): boolean =>
    questions.some(
      (question) =>
        question.name.toLowerCase() === name.toLowerCase() &&
        (question.type === type || (question.type as string) === "ANY"),
    );
  const isKnown = (record: Answer): boolean =>
    record.type === "PTR" &&
    known.some(
      (each) =>
        each.type === "PTR" &&
        each.name === record.name &&
        each.data === record.data &&
        (each.ttl ?? 0) * 2 >= (record.ttl ?? 0),
    );
  const answers = records.filter((record) => asked(record) && !isKnown(record));
  const isAboutHub = answers.some(
    ({ name, type }) => name !== everyService && type !== "A" && type !== "AAAA",
  );
  const additionals = isAboutHub
    ? records.filter((record) => record.type !== "PTR" && !answers.includes(record))
    : [];
  return { answers, additionals };
}

/** Returns records in the form for a plain DNS client. */
export function asLegacy(records: readonly Answer[]): Answer[] {
  return records.map((record) => ({ ...record, flush: false, ttl: legacyTtl }) as Answer);
}

/** Returns records that say goodbye: their TTL is 0. */
export function asGoodbye(records: readonly Answer[]): Answer[] {
  return records
    .filter(({ name }) => name !== everyService)
    .map((record) => ({ ...record, ttl: 0 }) as Answer);
}

/** Cuts a text to a label of at most this many bytes, and replaces dots, which would split it. */
function label(text: string, bytesMax: number): string {
  let kept = "";
  for (const character of text.replaceAll(".", "-").replaceAll(/\p{Cc}/gu, " ")) {
    if (Buffer.byteLength(kept + character) > bytesMax) break;
    kept += character;
  }
  return kept;
}
