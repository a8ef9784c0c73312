import assert from "node:assert/strict";
import type { Reply } from "../../http/test-served.ts";
import { rows1 } from "../rows.ts";
import type { World } from "./test-world.ts";

/** A request, and the answer that the specification wants. `{name}` in any text is a thing of the world, or kept. */
export interface Step {
  /** Method, and path below `/1.0`. */
  readonly ask: string;
  readonly body?: unknown;
  /** A body that is sent as bytes, which are no JSON for the cloud until it reads them. */
  readonly bytes?: string;
  /** Who asks; by default the owner. See `World.token`. */
  readonly as?: string;
  readonly status: number;
  /** What is at least in the answer. */
  readonly has?: unknown;
  /** The whole answer. */
  readonly is?: unknown;
  /** The ids, paths or names in `data`, in their order. */
  readonly lists?: readonly string[];
  /** How many things are in `data`. */
  readonly count?: number;
  /** What stands at places in the answer: fields, joined by dots. */
  readonly at?: Readonly<Record<string, unknown>>;
  /** Headers, and what is in them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What later steps need, by its name: fields of the answer, joined by dots. */
  readonly keep?: Readonly<Record<string, string>>;
}

/** The sentences of a chapter, and the steps that show each. */
export type Chapter = Readonly<Record<string, readonly Step[]>>;

type Names = Map<string, string>;

/** Takes steps one after the other. @returns the endpoints that succeeded */
export async function take(world: World, steps: readonly Step[]): Promise<string[]> {
  const names: Names = new Map([
    ["account", world.account],
    ["hub", world.hub.id],
    ["new", world.newName()],
    ["group", world.group],
    ["guest", `${world.newName()}@example.org`],
  ]);
  const reached: string[] = [];
  for (const step of steps) {
    for (const [, made = ""] of JSON.stringify(step).matchAll(/\{(site|register)\}/g))
      if (!names.has(made)) names.set(made, await (made === "site" ? world.newSite() : world.newRegister()));
    const reply = await ask(world, step, names);
    check(step, reply, names);
    for (const [name, path] of Object.entries(step.keep ?? {})) names.set(name, String(at(reply.json, path)));
    if (step.status < 300) reached.push(endpointOf(filled(step.ask, names)));
  }
  return reached;
}

async function ask(world: World, step: Step, names: Names): Promise<Reply> {
  const [method = "", path = ""] = filled(step.ask, names).split(/ (.*)/s);
  const token = await world.token(step.as ?? "owner");
  const { bytes } = step;
  if (bytes === undefined) return world.call(method, path, filled(step.body, names), token);
  const headers = { "content-type": "application/octet-stream" };
  return world.served.call(method, `/1.0${path}`, { token, headers, body: Buffer.from(bytes) });
}

function check(step: Step, reply: Reply, names: Names): void {
  const { status, text, json, headers } = reply;
  const said = `${filled(step.ask, names)} ${JSON.stringify(filled(step.body, names))?.slice(0, 200)}: ${text}`;
  assert.equal(status, step.status, said);
  checkAlways(step, reply, said);
  if ("has" in step) assert.partialDeepStrictEqual(json, filled(step.has, names), said);
  if ("is" in step) assert.deepEqual(json, filled(step.is, names), said);
  const data = (json as { data?: readonly Named[] } | undefined)?.data;
  const shown = data?.map(({ path, id, name }) => path ?? id ?? name);
  if (step.lists !== undefined) assert.deepEqual(shown, filled(step.lists, names), said);
  if (step.count !== undefined) assert.equal(data?.length, step.count, said);
  for (const [place, value] of Object.entries(step.at ?? {}))
    assert.deepEqual(at(json, place), filled(value, names), said);
  for (const [name, part] of Object.entries(step.headers ?? {}))
    assert.ok(headers.get(name)?.includes(filled(part, names)), `${name}: ${headers.get(name)}`);
}

interface Named {
  readonly path?: string;
  readonly id?: string;
  readonly name?: string;
}

/** What holds for every answer (platform-api 7, 9). */
function checkAlways({ ask: asked, status }: Step, { headers, json }: Reply, said: string): void {
  assert.ok(headers.has("deprecation"), said);
  assert.equal(headers.get("sunset"), "Thu, 31 Dec 2026 23:59:59 GMT");
  const isProblem = status >= 400 || (asked.startsWith("DELETE ") && status === 200);
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  assert.equal(type, isProblem ? "application/problem+json" : "application/json", said);
  if (!isProblem) return;
  const { title, status: told, detail, instance } = json as Readonly<Record<string, unknown>>;
  assert.equal(told, status, said);
  for (const each of [title, detail, instance]) assert.equal(typeof each, "string", said);
}

/** Returns the endpoint that a request is for, as the rows write it. */
function endpointOf(asked: string): string {
  const [method, path = ""] = asked.split("?", 1)[0]?.split(" ") ?? [];
  const row = rows1.find((each) => {
    const pattern = each.path.replaceAll(/:\w+/g, "[^/]+");
    return each.method === method && new RegExp(`^${pattern}$`, "i").test(path);
  });
  return row ? `${row.method} ${row.path}` : asked;
}

/** Returns a value whose texts name things of the world. */
function filled<Value>(value: Value, names: Names): Value {
  if (typeof value === "string")
    return value.replaceAll(/\{(\w+)\}/g, (all, name: string) => names.get(name) ?? all) as Value;
  if (Array.isArray(value)) return value.map((each) => filled<unknown>(each, names)) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filled(each, names)])) as Value;
}

function at(json: unknown, path: string): unknown {
  let value = json;
  for (const key of path.split(".")) value = (value as Readonly<Record<string, unknown>> | null)?.[key];
  return value ?? assert.fail(`there is no ${path} in ${JSON.stringify(json)}`);
}
