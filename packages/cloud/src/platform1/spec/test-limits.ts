// The limits of the specification (platform-api 8) as data, each with the requests that meet it. The limits of
// egress targets stand among their fields.
import assert from "node:assert/strict";
import { until } from "@ledge/testkit";
import type { Reply } from "../../http/test-served.ts";
import { rows1 } from "../rows.ts";
import type { World } from "./test-world.ts";

/** A limit: values at its edges, inside and outside, and the statuses that they bring. */
export interface Limit {
  readonly inside: readonly unknown[];
  readonly outside: readonly unknown[];
  /** The status of a value inside; by default 200. One of 404 says that nothing has that name. */
  readonly status?: number;
  readonly send: (world: World, value: never) => Promise<Reply>;
}

const text = (...chars: readonly number[]): string[] => chars.map((count) => "x".repeat(count));

/** Fetches pushes until the wait has elapsed. */
async function fetched({ served, owner }: World, body: object): Promise<Reply> {
  let reply: Reply | undefined;
  void served.call("POST", "/graph/push", { token: owner, json: body }).then((answer) => (reply = answer));
  await until("the end of the fetch", () => reply !== undefined || void served.test.clock.pass(2500));
  return reply ?? assert.fail();
}

/** Returns a list of 1.0 with things of the world in place of the names in its path. */
async function pathOf(world: World, path: string): Promise<string> {
  const names: Record<string, string> = {
    subscriptionId: world.account,
    resourceGroupName: "things",
    deviceRegisterId: world.hub.id,
    siteId: path.includes(":siteId") ? await world.newSite() : "",
  };
  return path.replaceAll(/:(\w+)/g, (_, name: string) => names[name] ?? assert.fail(name));
}

/** The lists that go by pages. */
export const lists = rows1.filter(
  ({ query }) => query === "page" || query === "devices" || query === "entities",
);

const pageSizes = Object.fromEntries(
  lists.map(({ path }) => [
    `page size of ${path}`,
    {
      inside: [1, 2000],
      outside: [0, 2001, -1, 1.5, "many"],
      send: async (world: World, size: unknown) =>
        world.call("GET", `${await pathOf(world, path)}?pageSize=${String(size)}`),
    },
  ]),
);

export const limitRows: Readonly<Record<string, Limit>> = {
  "wait of a push fetch": {
    inside: [1, 55],
    outside: [0, 56, 1.5, "25"],
    send: (world, wait) => fetched(world, { sessionId: "s", wait }),
  },
  "length of a session id": {
    inside: text(1, 128),
    outside: text(0, 129),
    send: (world, sessionId) => fetched(world, { sessionId, wait: 1 }),
  },
  "length of a correlation id": {
    inside: text(1, 128),
    outside: text(0, 129),
    async send({ served, owner }, correlationId) {
      const query = { type: "ListTenantQuery" };
      const reply = await served.call("POST", "/graph/query", {
        token: owner,
        json: { query, correlationId },
      });
      if (reply.status === 200)
        assert.equal((reply.json as { correlationId: string }).correlationId, correlationId);
      return reply;
    },
  },
  ...pageSizes,
  "length of a register id": {
    inside: text(3, 64),
    outside: text(2, 65),
    status: 404,
    send: (world, id) => world.call("GET", `/Registers/${String(id)}/Devices`),
  },
  "length of a device search": {
    inside: text(3, 100),
    outside: text(2, 101),
    send: (world, search) => world.call("GET", `/Registers/${world.hub.id}/Devices?search=${String(search)}`),
  },
};

/** Fails unless values inside a limit are taken, and those outside are refused. */
export async function checkLimit(world: World, limit: Limit): Promise<void> {
  const { inside, outside, status = 200, send } = limit;
  for (const value of inside) assert.equal((await send(world, value as never)).status, status, String(value));
  for (const value of outside) assert.equal((await send(world, value as never)).status, 422, String(value));
}

/** Fails unless a fetch that says no wait waits so long (s). */
export async function checkUsualWait({ served, owner }: World, wait: number): Promise<void> {
  const { clock } = served.test;
  const response = await fetch(`${served.base}/graph/push`, {
    method: "POST",
    headers: { authorization: owner, "content-type": "application/json" },
    body: JSON.stringify({ sessionId: "usual" }),
  });
  assert.equal(response.status, 200);
  let isOver = false;
  const body = response.text().finally(() => (isOver = true));
  await clock.pass(wait * 1000 - 1);
  // An answer to another request comes after the end of the fetch, if it has ended.
  await served.call("GET", "/healthz");
  assert.equal(isOver, false);
  await clock.pass(1);
  assert.ok(Array.isArray(JSON.parse(await body)));
}
