import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import type { Answer, Question } from "dns-packet";

/** What a hub says of itself to its network (RFC 6763). */
export interface Announcement {
  readonly hubId: string;
  readonly name: string;
  /** Of the API. */
  readonly port: number;
  /** Beside the name and the hub's hash. */
  readonly facts: Readonly<Record<string, string>>;
}

const service = "_ledge._tcp.local";
const everyService = "_services._dns-sd._udp.local";

/** How long others may keep a record (s): of what goes with an address, and of the rest. */
const ttl = { address: 120, other: 4500 } as const;
/** Who asks as DNS does, not mDNS, keeps an answer for so long at most (RFC 6762, 6.7). */
const legacyTtl = 10;
/** Bytes of a label of a name. */
const labelBytes = 63;

/** By what a hub is known without its id, which is for those who hold a key. */
export function hashOf(hubId: string): string {
  return createHash("sha256").update(hubId).digest("hex").slice(0, 12);
}

/** The name by which a hub is called on its network; the hash makes it the only one of that name. */
export function hostNameOf(hubId: string): string {
  return `ledge-${hashOf(hubId).slice(0, 6)}.local`;
}

/**
 * All that there is to say on one interface. The instance's name holds the hash too, so that two hubs of one name do
 * not have to agree on who is called what.
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

/** What is to be said to questions, and what whoever asks will ask next; nothing when he knows it already. */
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

/** Records as somebody gets them who asks as DNS does. */
export function asLegacy(records: readonly Answer[]): Answer[] {
  return records.map((record) => ({ ...record, flush: false, ttl: legacyTtl }) as Answer);
}

/** Records that say that it is over. */
export function asGoodbye(records: readonly Answer[]): Answer[] {
  return records
    .filter(({ name }) => name !== everyService)
    .map((record) => ({ ...record, ttl: 0 }) as Answer);
}

/** A label of at most so many bytes. A dot would make it two. */
function label(text: string, bytesMax: number): string {
  let kept = "";
  for (const character of text.replaceAll(".", "-").replaceAll(/\p{Cc}/gu, " ")) {
    if (Buffer.byteLength(kept + character) > bytesMax) break;
    kept += character;
  }
  return kept;
}
