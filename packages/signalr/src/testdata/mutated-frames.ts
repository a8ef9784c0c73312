// Frames as a client sends them, each with something wrong: a value, or bytes.
import { Encoder } from "@msgpack/msgpack";
import { prefixed } from "../protocol/test-wire.ts";

/** Reproducible random numbers. */
export interface Chance {
  /** A whole number from 0 up to `below`, exclusive. */
  below(below: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
}

export interface MutatedFrame {
  /** What is wrong with it. */
  readonly kind: string;
  readonly bytes: Uint8Array;
}

/** The fields of a message in the order of MessagePack. JSON has them by name. */
type Fields = readonly (readonly [name: string, value: unknown])[];

const encoder = new Encoder({ ignoreUndefined: true, maxDepth: 5000 });

/**
 * One to three messages with one thing wrong, or with nothing wrong.
 * @param id begins the invocation ids of its calls
 */
export function mutatedFrame(random: Chance, isBinary: boolean, id: string): MutatedFrame {
  const encode = isBinary ? packedFields : jsonFields;
  const messages = Array.from({ length: 1 + random.below(3) }, (_, index) =>
    fieldsOf(random, `${id}.${index}`),
  );
  const kind = random.pick(kinds);
  const ofFields = fieldMutations[kind];
  if (ofFields !== undefined) {
    const victim = random.below(messages.length);
    const parts = messages.map((fields, index) =>
      encode(index === victim ? ofFields(fields, random) : fields),
    );
    return { kind, bytes: Buffer.concat(parts) };
  }
  let bytes: Uint8Array = Buffer.concat(messages.map(encode));
  const mutate = byteMutations[kind] ?? ((same) => same);
  for (let left = 1 + random.below(3); left > 0; left--) bytes = mutate(bytes, random);
  return { kind, bytes };
}

/** A handshake request with something wrong, or with nothing wrong. */
export function mutatedHandshake(random: Chance, isBinary: boolean): MutatedFrame {
  const request = { protocol: isBinary ? "messagepack" : "json", version: 1 + random.below(2) };
  const kind = random.pick(Object.keys(byteMutations));
  const bytes = Buffer.from(`${JSON.stringify(request)}\x1e`);
  return { kind: `handshake, ${kind}`, bytes: (byteMutations[kind] ?? ((same) => same))(bytes, random) };
}

function fieldsOf(random: Chance, id: string): Fields {
  const calls = (type: number, target: string): Fields => [
    ["type", type],
    ["headers", {}],
    ["invocationId", random.chance(0.8) || type === 4 ? id : null],
    ["target", target],
    ["arguments", Array.from({ length: random.below(4) }, () => argument(random))],
    ["streamIds", random.chance(0.1) ? ["7"] : []],
  ];
  const ofId = (type: number): Fields => [
    ["type", type],
    ["headers", {}],
    ["invocationId", id],
  ];
  return random.pick<() => Fields>([
    () => calls(1, random.pick(["echo", "ECHO", "fail", "none", "items", "__proto__"])),
    () => calls(4, random.pick(["items", "watch", "watch", "none", "echo"])),
    () => [...ofId(2), ["item", argument(random)]],
    () => [...ofId(3), ["resultKind", 1 + random.below(3)], ["error", "failed"]],
    () => ofId(5),
    () => [["type", 6]],
    () => [
      ["type", random.pick([8, 9])],
      ["sequenceId", random.below(5)],
    ],
  ])();
}

const argument = (random: Chance): unknown =>
  random.pick<unknown>([
    1,
    -7.5,
    "text",
    "ä\u{1f4a1}\u001e",
    null,
    true,
    [],
    {},
    [1, "two", { three: [3] }],
    "x".repeat(300),
  ]);

const hostileKeys = JSON.parse('{"__proto__":{"a":1},"constructor":1}') as unknown;

const hostileValue = (random: Chance): unknown =>
  random.pick<unknown>([
    null,
    -1,
    0.5,
    2 ** 53,
    "",
    "__proto__",
    [],
    {},
    hostileKeys,
    nested(63 + random.below(4)),
    nested(1500),
    "x".repeat(70_000),
    Array.from({ length: 20_000 }, () => []),
    new Uint8Array(9),
    new Date(1e12),
    99,
    7,
    "1",
    "\ud800",
  ]);

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

type FieldMutation = (fields: Fields, random: Chance) => Fields;

const fieldMutations: Readonly<Record<string, FieldMutation>> = {
  "a hostile value": (fields, random) =>
    fields.with(random.below(fields.length), [random.pick(fields)[0], hostileValue(random)]),
  "a hostile argument": (fields, random) =>
    fields.map(([name, value]) => [name, name === "arguments" ? [hostileValue(random)] : value]),
  "a missing field": (fields, random) => fields.toSpliced(random.below(fields.length), 1),
  "two fields in the wrong order": (fields, random) =>
    fields.length > 1 ? fields.toSpliced(random.below(fields.length - 1), 0, random.pick(fields)) : fields,
  "more fields": (fields, random) => [...fields, ["more", hostileValue(random)]],
  "another type": (fields, random) => fields.with(0, ["type", random.pick([0, 10, 99, -1, 2.5, "1", null])]),
};

type ByteMutation = (bytes: Uint8Array, random: Chance) => Uint8Array;

/** Bytes that mean something in one of the encodings. */
const telling = [0x00, 0x1e, 0x22, 0x5b, 0x7b, 0x7d, 0x80, 0x90, 0xc1, 0xc7, 0xc9, 0xdb, 0xdd, 0xdf, 0xff];

const byteMutations: Readonly<Record<string, ByteMutation>> = {
  nothing: (bytes) => bytes,
  "a flipped bit": (bytes, random) => {
    const copy = Uint8Array.from(bytes);
    const at = random.below(copy.length);
    copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8));
    return copy;
  },
  "another byte": (bytes, random) => {
    const copy = Uint8Array.from(bytes);
    copy[random.below(copy.length)] = random.pick(telling);
    return copy;
  },
  "more bytes": (bytes, random) => {
    const at = random.below(bytes.length + 1);
    const more = Uint8Array.from({ length: 1 + random.below(6) }, () => random.pick(telling));
    return Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);
  },
  "fewer bytes": (bytes, random) => {
    const at = random.below(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(6))]);
  },
  "a torn end": (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1)),
  "a part twice": (bytes, random) => {
    const [from, to] = [random.below(bytes.length + 1), random.below(bytes.length + 1)].toSorted(
      (a, b) => a - b,
    );
    return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
  },
  "a flood of one byte": (bytes, random) =>
    Buffer.concat([bytes, new Uint8Array(1 + random.below(70_000)).fill(random.pick(telling))]),
};

/** Each way a few times, so that about one frame of twelve has nothing wrong. */
const kinds = [...Object.keys(fieldMutations), ...Object.keys(byteMutations), "nothing"];

function jsonFields(fields: Fields): Uint8Array {
  // By hand, as an object has no key twice.
  const members = fields
    .filter(([name]) => name !== "resultKind")
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value) ?? "null"}`);
  return Buffer.from(`{${members.join(",")}}\x1e`);
}

function packedFields(fields: Fields): Uint8Array {
  return prefixed(encoder.encode(fields.map(([, value]) => value)));
}
