import assert from "node:assert/strict";
import type { Reply } from "../../http/test-served.ts";
import type { World } from "./test-world.ts";

/** What the specification says of a field that clients write (platform-api 2.4). */
export interface Field {
  /** The least and the most characters of a text. */
  readonly chars?: readonly [least: number | null, most: number];
  /** The least and the most of a number. */
  readonly range?: readonly [least: number, most: number];
  /** Whether it is true or false. */
  readonly isFlag?: true;
  readonly isRequired?: true;
  /** What it is when it is left out. */
  readonly usual?: unknown;
  /** Further values that it takes. */
  readonly takes?: readonly unknown[];
  /** Further values that it does not take. */
  readonly refuses?: readonly unknown[];
  /** Returns a text of so many characters; by default the letter x repeated. */
  readonly text?: (chars: number) => string;
  /** The field that shows it, unless that has the same name. */
  readonly shownAs?: string;
  /** Returns what is shown of a value, unless it is the value. */
  readonly shown?: (value: unknown) => unknown;
}

/** What the specification says of a resource. */
export interface Resource {
  /** The fields that it has, and those that we have added. */
  readonly fields: readonly string[];
  readonly additive?: readonly string[];
  /** The fields that clients write. */
  readonly written: Readonly<Record<string, Field>>;
  /** Returns the fields that are sent along, so that nothing else is wrong. */
  readonly base?: (world: World) => Readonly<Record<string, unknown>>;
  /** Sends a body. */
  readonly send?: (world: World, body: object) => Promise<Reply>;
  /** The status that says that a body is as it must be. */
  readonly status?: number;
  /** Reads what was sent. @param reply to the body */
  readonly read: (world: World, reply: Reply | undefined, body: object) => Promise<Reply>;
  /** Returns texts that must be in fields, by what was read. */
  readonly forms?: (read: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

type Sent = Readonly<Record<string, unknown>>;

/** Fails unless a resource is read with the fields of the specification, and no others but ours. */
export async function checkRead(world: World, resource: Resource): Promise<void> {
  const { fields, additive = [], base = () => ({}), forms = () => ({}) } = resource;
  const body = base(world);
  const reply = await resource.send?.(world, body);
  const { status, text, json } = await resource.read(world, reply, body);
  assert.equal(status, 200, text);
  assert.deepEqual(Object.keys(json as object).toSorted(), [...fields, ...additive].toSorted());
  assert.partialDeepStrictEqual(json, forms(json as Sent));
}

/** Fails unless a field takes what the specification says, and nothing else. */
export async function checkField(world: World, resource: Resource, name: string): Promise<void> {
  const field = resource.written[name] ?? assert.fail(name);
  const { chars, range, text = (count: number): string => "x".repeat(count), isRequired } = field;
  const [taken, refused] = [[...(field.takes ?? [])], [...(field.refuses ?? [])]];
  if (chars !== undefined) {
    const [least, most] = chars;
    taken.push(text(most));
    refused.push(text(most + 1), 7, ["x"]);
    if (least !== null) taken.push(text(least));
    if (least !== null && least > 0) refused.push(text(least - 1));
  }
  if (range !== undefined) {
    taken.push(...range);
    refused.push(range[0] - 1, range[1] + 1, "10");
  }
  if (field.isFlag) {
    taken.push(true, false);
    refused.push("true", 1);
  }
  assert.ok(taken.length > 0 && refused.length > 0, `${name}: nothing is tried`);
  for (const value of taken) await mustTake(world, resource, name, value);
  for (const value of refused) await mustRefuse(world, resource, name, { [name]: value });
  if (isRequired) await mustRefuse(world, resource, name, { [name]: undefined });
  if ("usual" in field) await mustTake(world, resource, name, undefined);
}

async function mustTake(world: World, resource: Resource, name: string, value: unknown): Promise<void> {
  const { base = () => ({}), send, read: reading, status: expected = 201 } = resource;
  const field = resource.written[name] ?? assert.fail(name);
  const body = { ...base(world), [name]: value };
  const said = `${name} ${JSON.stringify(value)?.slice(0, 80)}`;
  const reply = await send?.(world, body);
  assert.equal(reply?.status, expected, `${said}: ${reply?.text}`);
  const shownAs = field.shownAs ?? name;
  if (!resource.fields.concat(resource.additive ?? []).includes(shownAs)) return;
  const { text, json, status } = await reading(world, reply, body);
  assert.equal(status, 200, text);
  const shown = value === undefined ? field.usual : field.shown ? field.shown(value) : value;
  assert.deepEqual((json as Sent)[shownAs], shown, said);
}

async function mustRefuse(world: World, resource: Resource, name: string, more: Sent): Promise<void> {
  const { base = () => ({}), send } = resource;
  const reply = await send?.(world, { ...base(world), ...more });
  const said = `${name} ${JSON.stringify(more[name])?.slice(0, 80)}: ${reply?.text}`;
  assert.equal(reply?.status, 422, said);
  assert.equal(reply.headers.get("content-type"), "application/problem+json");
  const { errors } = reply.json as { errors: readonly { field: string }[] };
  assert.ok(
    errors.some(({ field }) => field === name || field.startsWith(`${name}.`)),
    said,
  );
}

/** Reads what a reply says that it has created. */
export function atLocation(world: World, reply: Reply | undefined): Promise<Reply> {
  const location = reply?.headers.get("location") ?? assert.fail(reply?.text);
  return world.served.call("GET", location, { token: world.owner });
}
