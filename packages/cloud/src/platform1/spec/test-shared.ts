import assert from "node:assert/strict";
import type { Reply } from "../../http/test-served.ts";
import type { Field } from "./test-field.ts";
import type { World } from "./test-world.ts";

export const tags: Field = { usual: {}, takes: [{ floor: "1" }], refuses: ["floor", { floor: 1 }] };
/** Texts that no name in a path may be. */
export const idLetters = ["Abc", "a b", "a.b", "å-å", "a/b"];
const kept = new WeakMap<World, Map<string, Promise<string>>>();
/** Returns what is made once for a world. */
export function once(world: World, what: string, make: () => Promise<string>): Promise<string> {
  const held = kept.get(world) ?? new Map<string, Promise<string>>();
  kept.set(world, held);
  const made = held.get(what) ?? make();
  held.set(what, made);
  return made;
}

export const siteOf = async (world: World): Promise<string> =>
  `/Sites/${await once(world, "site", () => world.newSite())}`;
export const named = (world: World) => ({ name: world.newName() });

export function words(text: string): string[] {
  return text.split(" ");
}

/** Returns the body of a reply that must be there. */
export function jsonOf(reply: Reply | undefined): unknown {
  return reply?.json ?? assert.fail(reply?.text);
}

/** Answers one object of a list as if it were a body. */
export function itemOf(list: Reply, item: unknown): Reply {
  return { ...list, json: item ?? assert.fail(list.text) };
}
