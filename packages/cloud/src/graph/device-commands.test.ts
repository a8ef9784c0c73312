// Commands to devices of a hub's register, and operations that follow them. The hub is a stand-in.
import assert from "node:assert/strict";
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { after, before, beforeEach, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { features, limits, roles } from "@ledge/model";
import { Encoder, encode, ExtData } from "@msgpack/msgpack";
import { until } from "@ledge/testkit";
import { Served } from "../http/test-served.ts";
import type { TestHub } from "../testdata/open-cloud.ts";
import type { GraphResponse } from "./graph.ts";
import type { GraphOperation } from "./operation-object.ts";

type Answer = readonly [status: number, value: unknown];

let served: Served;
let hub: TestHub;
let owner: string;
let user: string;
let remote: string;
/** What the hub was asked: method, path, body. */
const asked: [method: string, path: string, body: unknown][] = [];
/** What the hub answers to commands. */
let answer: Answer = [200, null];
/** What the hub says of commands that were executed; the last one again and again. Undefined: it never answers. */
let outcomes: (Answer | undefined)[] = [];

before(async () => {
  served = await Served.start();
  const home = await served.claimed("owner@example.org", { features: [features.REMOTE_USAGE] });
  ({ hub, owner } = home);
  user = await served.invited(owner, hub.id, "user@example.org", roles.IDENTIFIED_USER);
  remote = await served.invited(owner, hub.id, "remote@example.org", roles.REMOTE_GUEST);
  await served.dial(home.hubToken, (stream, headers) => serve(stream, headers));
  for (const id of ["a", "b", "idle"]) await served.registers.set(hub.id, id, false);
});
after(() => served.stop());
beforeEach(() => {
  asked.length = 0;
  [answer, outcomes] = [[200, null], []];
});

function serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
  const [method, path] = [String(headers[":method"]), String(headers[":path"])];
  if (path.startsWith("/.ledge/")) return stream.respond({ ":status": 204 }, { endStream: true });
  let text = "";
  stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  stream.on("end", () => {
    asked.push([method, path, text && JSON.parse(text)]);
    const isOutcome = path.startsWith("/cc/1.14/devices/outcome");
    const said = isOutcome ? (outcomes.length > 1 ? outcomes.shift() : outcomes[0]) : answer;
    if (said === undefined) return;
    stream.respond({ ":status": said[0], "content-type": "application/json" });
    stream.end(JSON.stringify(said[1]));
  });
}

type Result = GraphResponse["result"] & Readonly<Record<string, unknown>>;

const on = { type: "CMD_DEVICE_ON" };
const send = (token: string, type: string, fields: object = {}): Promise<Result> =>
  served.graph(token, { type, deviceRegisterId: hub.id, ...fields });
const execute = (fields: object, token = user): Promise<Result> =>
  send(token, "ExecuteDeviceRegisterCommand", { deviceId: "a", ...fields });
const codeOf = async (fields: object, token = user): Promise<string | undefined> =>
  (await execute(fields, token)).error?.code;
const base64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString("base64");

describe("commands", () => {
  test("reach the device through its hub, with the id filled in", async () => {
    const command = { ...on, id: "other" };
    assert.equal((await send(user, "SendDeviceRegisterCommand", { deviceId: "a", command }))["value"], null);
    const off = { type: "CMD_DEVICE_OFF" };
    await execute({ deviceId: "b", payload: base64(JSON.stringify(off)) });
    await execute({ deviceId: "b", payload: base64(encode(off)), payloadType: "application/msgpack" });
    await execute({ deviceId: "b", command });
    assert.deepEqual(
      asked.map(([, , body]) => body),
      [[{ ...on, id: "a" }], [{ ...off, id: "b" }], [{ ...off, id: "b" }], [{ ...on, id: "b" }]],
    );
  });

  test("are refused without the right, for unknown and inactive devices, and when malformed", async () => {
    assert.equal(await codeOf({ command: on }, remote), "E_FORBIDDEN");
    assert.equal(await codeOf({ command: on, deviceId: "none" }), "E_NOT_FOUND");
    for (const fields of [
      {},
      { command: {} },
      { command: { type: "" } },
      { command: on, payload: "" },
      { payload: "" },
      { payload: "???" },
      { payload: base64("{") },
      { payload: base64("[]") },
      { payload: base64(JSON.stringify(on)), payloadType: "text/plain" },
      { payload: "A".repeat(limits.executePayloadChars + 1) },
      { command: on, track: "yes" },
    ])
      assert.equal(await codeOf(fields), "E_INVALID", JSON.stringify(fields).slice(0, 60));
    const idle = { name: "Idle", isActive: false };
    await send(owner, "UpdateDeviceDeviceRegisterCommand", { deviceId: "idle", device: idle });
    asked.length = 0;
    assert.equal(await codeOf({ command: on, deviceId: "idle" }), "E_WRONG_STATE");
    assert.deepEqual(asked, []);
  });

  test("may be MessagePack that means the same as JSON, and nothing else", async () => {
    const nested = { ...on, state: { extras: { a: [1, -2.5, null, true, "ä"] } } };
    const payloadType = "application/msgpack";
    await execute({ payload: base64(encode(nested)), payloadType });
    assert.deepEqual(asked, [["PUT", "/cc/1.14/devices/command", [{ ...nested, id: "a" }]]]);
    asked.length = 0;
    let deep: unknown = 1;
    for (let level = 0; level < limits.bodyDepth + 1; level++) deep = [deep];
    const wrong: readonly (readonly [string, Uint8Array])[] = [
      ["JSON", Buffer.from(JSON.stringify(on))],
      ["nothing", new Uint8Array()],
      ["a list", encode([on])],
      ["bytes", encode({ ...on, x: new Uint8Array(3) })],
      ["a time", encode({ ...on, x: new Date(0) })],
      ["an extension", encode({ ...on, x: new ExtData(7, new Uint8Array(1)) })],
      ["no number", encode({ ...on, x: NaN })],
      ["an endless number", encode({ ...on, x: Infinity })],
      ["a 64-bit number as such", new Encoder({ useBigInt64: true }).encode({ ...on, x: [2n ** 60n, deep] })],
      ["too deep", encode({ ...on, x: deep })],
      ["more than one", Buffer.concat([encode(on), encode(on)])],
      ["half of one", encode(on).subarray(0, 9)],
      ["more announced than there is", Uint8Array.of(0xdd, 0xff, 0xff, 0xff, 0xff)],
      ["a prototype", Buffer.concat([Uint8Array.of(0x81, 0xa9), Buffer.from("__proto__"), encode(on)])],
    ];
    for (const [what, bytes] of wrong)
      assert.equal(await codeOf({ payload: base64(bytes), payloadType }), "E_INVALID", what);
    assert.deepEqual(asked, []);
  });
});

describe("an operation that tracks a command", () => {
  const track = "1795523341529-remote-x-1";
  const end = (outcome: string, more: object = {}): Answer => [
    200,
    { type: "DEVICE_OUTCOME", track, deviceId: "a", outcome, at: null, code: null, message: null, ...more },
  ];

  async function tracked(fields: object = {}): Promise<GraphOperation> {
    answer = [200, { type: "EXECUTED", value: null, track }];
    const { value, operation } = await execute({ command: on, track: true, ...fields });
    assert.equal(value, null);
    return operation as GraphOperation;
  }

  /** Lets time pass until an operation has ended. */
  async function ended({ operationId }: GraphOperation): Promise<GraphOperation> {
    const { kernel } = served.test.cloud;
    const isOpen = (): boolean =>
      /NotStarted|Running/.test(kernel.get("operation", operationId)?.state ?? "");
    while (isOpen()) {
      await served.test.clock.pass(limits.executeRetryMs);
      await setTimeout(1);
    }
    const { operation } = await served.graph(user, { type: "GetOperationQuery", operationId });
    return operation as GraphOperation;
  }

  test("succeeds when the device has done it", async () => {
    outcomes = [end("pending"), end("pending"), end("done", { at: 1795523341641 })];
    const operation = await tracked();
    assert.deepEqual(operation.target, { deviceRegisterId: hub.id, deviceId: "a", hubId: hub.id });
    const { state, result } = await ended(operation);
    assert.deepEqual([state, result], ["Succeeded", { deviceId: "a", outcome: "done", at: 1795523341641 }]);
    const [first, second, ...rest] = asked.map(([method, path]) => `${method} ${path}`);
    assert.equal(first, "PUT /cc/1.14/devices/execute");
    assert.equal(second, `GET /cc/1.14/devices/outcome?track=${track}&wait=${limits.executeWaitS}`);
    assert.equal(rest.length, 2);
    assert.deepEqual(asked[0]?.[2], { ...on, id: "a" });
  });

  test("fails with the reason of the device, of a hub that was down, and of one that forgot", async () => {
    for (const [outcome, more, code, details] of [
      ["failed", { code: "unreachable", message: "no answer" }, "E_HUB_REFUSED", { code: "unreachable" }],
      ["expired", {}, "E_HUB_TIMEOUT", {}],
      ["unknown", {}, "E_UNKNOWN", {}],
    ] as const) {
      outcomes = [end(outcome, more)];
      const { state, error } = await ended(await tracked());
      assert.deepEqual([state, error?.code], ["Failed", code]);
      assert.deepEqual(error?.details, { deviceId: "a", outcome, ...details });
    }
  });

  test("waits while the hub is busy, and gives up when it says nothing for long", async () => {
    outcomes = [[503, { message: "later" }], [429, { message: "later" }], end("done")];
    assert.equal((await ended(await tracked())).state, "Succeeded");
    outcomes = [end("pending")];
    const { state, error } = await ended(await tracked());
    assert.ok(asked.length > 100);
    assert.deepEqual([state, error?.code], ["Failed", "E_HUB_TIMEOUT"]);
  });

  test("fails on an answer that is none, however large it is", async () => {
    const long = "x".repeat(100_000);
    for (const said of [
      [200, null],
      [200, []],
      [200, { outcome: "won" }],
      [404, { message: long }],
    ] as const) {
      outcomes = [said];
      const { state, error } = await ended(await tracked());
      assert.deepEqual([state, error?.code], ["Failed", "E_HUB_REFUSED"], JSON.stringify(said).slice(0, 50));
      assert.ok(JSON.stringify(error).length < 2 * limits.hubMessageChars);
    }
    outcomes = [end("failed", { code: long, message: long })];
    const { error } = await ended(await tracked());
    assert.ok(JSON.stringify(error).length < 2 * limits.hubMessageChars);
  });

  test("asks for few at a time, so that the user's own requests get through", async () => {
    outcomes = [undefined];
    const operations = [];
    for (let count = 0; count < limits.executeTrackedAtOnce + 3; count++) operations.push(await tracked());
    const waiting = (): number => asked.filter(([, path]) => path.includes("/outcome")).length;
    await until("the questions", () => waiting() === limits.executeTrackedAtOnce);
    answer = [200, null];
    assert.equal((await execute({ command: on }))["value"], null);
    assert.equal(waiting(), limits.executeTrackedAtOnce);
    for (const { operationId } of operations)
      await served.graph(user, { type: "CancelOperationCommand", operationId });
  });

  test("is absent when the hub has nothing to follow, or refuses the command", async () => {
    answer = [200, { type: "EXECUTED", value: true, track: null }];
    const { value, operation } = await execute({ command: on, track: true });
    assert.deepEqual([value, operation], [true, undefined]);
    answer = [404, { message: "not found" }];
    assert.equal(await codeOf({ command: on, track: true }), "E_HUB_REFUSED");
  });
});
