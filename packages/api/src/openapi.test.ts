import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { SimulatedClock } from "@ledge/testkit";
import { Validator } from "@seriousme/openapi-schema-validator";
import { rows } from "./routes/index.ts";
import { openTestHub } from "./test-hub.ts";

interface Operation {
  readonly operationId: string;
  readonly security: readonly Record<string, unknown>[];
  readonly responses: Record<string, unknown>;
  readonly parameters?: readonly { name: string; required: boolean }[];
  readonly requestBody?: { content: { "application/json": { schema: { anyOf: { type?: string }[] } } } };
}

interface Document {
  readonly openapi: string;
  readonly servers: readonly unknown[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { schemas: object; securitySchemes: object };
}

describe("GET /apidoc", () => {
  let document: Document;

  before(async () => {
    const hub = await openTestHub(memoryLog(), new SimulatedClock());
    const { status, body } = await hub.api("local").send("GET", "//apidoc");
    assert.equal(status, 200);
    document = body as Document;
  });

  test("is a valid OpenAPI 3.1 document", async () => {
    const { valid, errors } = await new Validator().validate(structuredClone({ ...document }));
    assert.ok(valid, JSON.stringify(errors, null, 1));
    assert.equal(document.openapi, "3.1.0");
    assert.equal(document.servers.length, 2);
  });

  test("the validator rejects a broken document", async () => {
    const broken = structuredClone(document) as { paths: Record<string, unknown> };
    broken.paths["/hub"] = { get: { responses: 5 } };
    assert.equal((await new Validator().validate(broken)).valid, false);
  });

  test("lists exactly the served rows", () => {
    const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const served = rows.map(
      ({ method, path, unversioned }) =>
        `${method} ${unversioned ? "" : "/cc/1.14"}${path.replace(":file", "{file}")}`,
    );
    assert.deepEqual(listed.toSorted(), served.toSorted());
  });

  test("gives each operation its own id and resolves every reference", () => {
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    assert.equal(new Set(ids).size, rows.length);
    assert.ok(ids.includes("putDevicesCommand"));
    for (const [, pointer = ""] of JSON.stringify(document).matchAll(/"\$ref":"#([^"]+)"/g)) {
      let at: unknown = document;
      for (const key of pointer.slice(1).split("/")) at = (at as Record<string, unknown>)[key];
      assert.ok(at !== undefined, pointer);
    }
  });

  test("describes credentials, error statuses, bodies and parameters", () => {
    const poll = document.paths["/cc/1.14/hub/poll"]?.["get"];
    assert.deepEqual(poll?.security, [{ hubKey: [] }, { cloudToken: [], relayedHubKey: [] }]);
    assert.deepEqual(document.paths["/hub"]?.["get"]?.security, [{}]);
    const order = document.paths["/cc/1.14/rooms/order"]?.["put"];
    for (const status of ["200", "401", "403", "404", "410", "413", "422", "429", "500", "503", "507"]) {
      assert.ok(order?.responses[status] !== undefined, status);
    }
    assert.equal(order?.requestBody?.content["application/json"].schema.anyOf[0]?.type, "array");
    const parameters = document.paths["/cc/1.14/groups"]?.["delete"]?.parameters;
    const places = document.paths["/ui/{file}"]?.["get"]?.parameters;
    assert.deepEqual(
      [parameters, places].map((found) => found?.map(({ name, required }) => [name, required])),
      [[["groupId", true]], [["file", true]]],
    );
  });
});
