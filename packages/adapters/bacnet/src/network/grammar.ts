import { apduOctets, confirmed, pdu, unconfirmed } from "./apdu.ts";

/**
 * Checks the parameters of a service against its grammar (ASHRAE 135, 21), before the library decodes them: it
 * trusts every length that it reads, and a length of four octets makes it fill the memory.
 */
export function isWellFormed(kind: number, service: number, content: Buffer): boolean {
  const rule = ruleOf(kind, service);
  if (rule === undefined) return false;
  const tags = new Tags(content);
  return rule(tags) && tags.offset === content.length;
}

/** Returns whether a service has a grammar: others are not understood here. */
export function isKnown(kind: number, service: number): boolean {
  return ruleOf(kind, service) !== undefined;
}

type Rule = (tags: Tags) => boolean;

interface Head {
  readonly number: number;
  readonly type: "application" | "context" | "opening" | "closing";
  readonly length: number;
  readonly next: number;
}

class Tags {
  offset = 0;
  readonly #content: Buffer;

  constructor(content: Buffer) {
    this.#content = content;
  }

  /** Returns the tag at the offset; undefined when there is none or its content is cut off. */
  head(): Head | undefined {
    const content = this.#content;
    const first = content[this.offset];
    // Tag numbers above 14 occur in no service here.
    if (first === undefined || first >> 4 === 15) return undefined;
    const number = first >> 4;
    const low = first & 7;
    const next = this.offset + 1;
    const isContext = (first & 8) !== 0;
    if (low >= 6) {
      if (!isContext) return undefined;
      return { number, type: low === 6 ? "opening" : "closing", length: 0, next };
    }
    if (!isContext && number === 1)
      return low <= 1 ? { number, type: "application", length: 0, next } : undefined;
    const extended = low === 5 ? content[next] : undefined;
    if (low === 5 && extended === undefined) return undefined;
    // The four-octet form would be longer than any frame.
    if (extended === 255 || (extended === 254 && next + 3 > content.length)) return undefined;
    const length = low < 5 ? low : extended === 254 ? content.readUInt16BE(next + 1) : (extended as number);
    const start = next + (low < 5 ? 0 : extended === 254 ? 3 : 1);
    if (start + length > content.length) return undefined;
    return { number, type: isContext ? "context" : "application", length, next: start + length };
  }
}

function take(type: Head["type"], number: number, least: number, most: number): Rule {
  return (tags) => {
    const head = tags.head();
    if (head?.type !== type || head.number !== number || head.length < least || head.length > most)
      return false;
    tags.offset = head.next;
    return true;
  };
}

const context = (number: number, least: number, most = least): Rule => take("context", number, least, most);
const open = (number: number): Rule => take("opening", number, 0, 0);
const close = (number: number): Rule => take("closing", number, 0, 0);
const app = (number: number, least: number, most = least): Rule => take("application", number, least, most);

const seq =
  (...rules: readonly Rule[]): Rule =>
  (tags) =>
    rules.every((rule) => rule(tags));

const optional =
  (rule: Rule): Rule =>
  (tags) => {
    const { offset } = tags;
    if (!rule(tags)) tags.offset = offset;
    return true;
  };

const either =
  (...rules: readonly Rule[]): Rule =>
  (tags) => {
    const { offset } = tags;
    return rules.some((rule) => {
      tags.offset = offset;
      return rule(tags);
    });
  };

/** Tries a rule as often as it fits, and undoes the last attempt. */
const many =
  (rule: Rule): Rule =>
  (tags) => {
    for (;;) {
      const { offset } = tags;
      if (!rule(tags) || tags.offset === offset) {
        tags.offset = offset;
        return true;
      }
    }
  };

const enumerated = app(9, 1, 4);
/** Any application value with a length that its type allows. */
const value = either(
  app(0, 0),
  app(1, 0),
  app(2, 1, 6),
  app(3, 1, 4),
  app(4, 4),
  app(5, 8),
  app(6, 0, apduOctets),
  app(7, 1, apduOctets),
  app(8, 1, apduOctets),
  enumerated,
  app(10, 4),
  app(11, 4),
  app(12, 4),
);
const number = (tag: number): Rule => context(tag, 1, 4);
const object = (tag: number): Rule => context(tag, 4);
const values = (tag: number): Rule => seq(open(tag), many(value), close(tag));
const error = seq(enumerated, enumerated);

const covNotification = seq(
  number(0),
  object(1),
  object(2),
  number(3),
  open(4),
  many(seq(number(0), optional(number(1)), values(2), optional(context(3, 1)))),
  close(4),
);
const readAccess = seq(
  object(0),
  open(1),
  seq(number(0), optional(number(1))),
  many(seq(number(0), optional(number(1)))),
  close(1),
);
const readResult = seq(
  object(0),
  open(1),
  many(seq(number(2), optional(number(3)), either(values(4), seq(open(5), error, close(5))))),
  close(1),
);
const time = seq(app(10, 4), app(11, 4));

const requests: Readonly<Record<number, Rule>> = {
  [confirmed.covNotification]: covNotification,
  [confirmed.subscribeCov]: seq(number(0), object(1), optional(seq(context(2, 1), optional(number(3))))),
  [confirmed.readProperty]: seq(object(0), number(1), optional(number(2))),
  [confirmed.readPropertyMultiple]: seq(readAccess, many(readAccess)),
  [confirmed.writeProperty]: seq(
    object(0),
    number(1),
    optional(number(2)),
    values(3),
    optional(context(4, 1)),
  ),
};
const messages: Readonly<Record<number, Rule>> = {
  [unconfirmed.iAm]: seq(app(12, 4), app(2, 1, 4), enumerated, app(2, 1, 2)),
  [unconfirmed.covNotification]: covNotification,
  [unconfirmed.timeSynchronization]: time,
  [unconfirmed.utcTimeSynchronization]: time,
  [unconfirmed.whoHas]: seq(
    optional(seq(number(0), number(1))),
    either(object(2), context(3, 1, apduOctets)),
  ),
  [unconfirmed.whoIs]: optional(seq(number(0), number(1))),
};
const answers: Readonly<Record<number, Rule>> = {
  [confirmed.readProperty]: seq(object(0), number(1), optional(number(2)), values(3)),
  [confirmed.readPropertyMultiple]: seq(readResult, many(readResult)),
};

function ruleOf(kind: number, service: number): Rule | undefined {
  if (kind === pdu.confirmed) return requests[service];
  if (kind === pdu.unconfirmed) return messages[service];
  if (kind === pdu.complexAck) return answers[service];
  if (kind === pdu.error) return error;
  // These have no parameters.
  return kind === pdu.simpleAck || kind === pdu.reject || kind === pdu.abort ? () => true : undefined;
}
