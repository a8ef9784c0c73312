import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiDocument } from "../../api/apidoc.ts";
import { chaptersOf, curlOf, type Endpoint, shownAnswer } from "./endpoints.ts";

const document: ApiDocument = {
  paths: {
    "/hub": { get: { summary: "What the hub is", tags: ["hub"] } },
    "/cc/1.14/devices": {
      get: {
        summary: "Devices by id",
        tags: ["devices"],
        parameters: [
          { name: "groupId", in: "query", schema: {} },
          { name: "authorization", in: "header", schema: {} },
        ],
      },
      put: { summary: "Names devices", tags: ["devices"], requestBody: {} },
    },
    "/ui/{file}": { get: { summary: "A file", tags: ["ui"] } },
    "/": { get: { summary: "The page", tags: [""] } },
  },
};

test("orders endpoints by chapters, without the page itself", () => {
  const told = chaptersOf(document, "").map(({ name, endpoints }) => [
    name,
    endpoints.map(({ method, path, hasBody, parameters }) => [method, path, hasBody, parameters.length]),
  ]);
  assert.deepEqual(told, [
    ["hub", [["GET", "/hub", false, 0]]],
    [
      "devices",
      [
        ["GET", "/cc/1.14/devices", false, 1],
        ["PUT", "/cc/1.14/devices", true, 0],
      ],
    ],
  ]);
});

const searches: readonly (readonly [text: string, found: number])[] = [
  ["devices", 2],
  ["PUT  devices", 1],
  ["names", 1],
  ["by devices", 1],
  ["nothing", 0],
];
for (const [text, found] of searches)
  test(`finds ${found} endpoints by "${text}"`, () => {
    assert.equal(chaptersOf(document, text).flatMap(({ endpoints }) => endpoints).length, found);
  });

const put: Endpoint = {
  method: "PUT",
  path: "/cc/1.14/devices",
  summary: "",
  description: "",
  parameters: [],
  hasBody: true,
};

test("writes a command of curl without the key, quoted for a shell", () => {
  assert.equal(
    curlOf("http://hub:8893", { ...put, method: "GET" }, { query: { groupId: "", at: "1 2" }, body: "" }),
    `curl -H "authorization: $HUB_KEY" 'http://hub:8893/cc/1.14/devices?at=1+2'`,
  );
  assert.equal(
    curlOf("http://hub", put, { query: {}, body: ` {"name":"Ann's"} ` }),
    `curl -X PUT -H "authorization: $HUB_KEY" -H 'content-type: application/json' -d '{"name":"Ann'\\''s"}' 'http://hub/cc/1.14/devices'`,
  );
});

test("cuts a long answer", () => {
  assert.equal(shownAnswer({ a: 1 }), '{\n  "a": 1\n}');
  const long = shownAnswer("x".repeat(30_000));
  assert.ok(long.length < 20_010 && long.endsWith("…"));
});
