import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { KernelError } from "@ledge/kernel";
import { memoryLog } from "@ledge/log";
import { limits, roles } from "@ledge/model";
import { SimulatedClock } from "@ledge/testkit";
import Type from "typebox";
import type { ApiOptions } from "./mount.ts";
import { type Row, row } from "./row.ts";
import { type Client, openTestHub, type TestHub } from "./test-hub.ts";

/** A row that does nothing but what a test says. */
const probe = (gates: Partial<Row>, handle: () => unknown = () => true): Row =>
  row({
    method: "GET",
    path: "/probe",
    summary: "probes",
    access: "GUEST",
    result: Type.Unknown(),
    ...gates,
    handle,
  });

const message = (body: unknown): string => (body as { message: string }).message;

describe("the gates", () => {
  let clock: SimulatedClock;
  let hub: TestHub;
  let owner: string;

  beforeEach(async () => {
    clock = new SimulatedClock();
    hub = await openTestHub(memoryLog(), clock);
    owner = await hub.sign();
  });

  const withRow = (probed: Row, options: Partial<ApiOptions> = {}): Client =>
    hub.api("local", { rows: [probed], ...options });

  describe("host", () => {
    for (const [host, status] of [
      ["cabin.local", 200],
      ["CABIN.local.:8893", 200],
      ["localhost:8893", 200],
      ["192.168.1.7:8893", 200],
      ["[fe80::1]:8893", 200],
      ["[::1]", 200],
      ["[fe80:0::1]", 200],
      ["127.0.0.1:", 200],
      ["evil.example", 403],
      ["cabin.local.evil.example", 403],
      ["evil.example:8893", 403],
      ["[evil]:8893", 403],
      ["1.2.3.4.evil.example", 403],
      ["", 403],
    ] as const) {
      test(`answers ${status} to host '${host}' on the local network`, async () => {
        const api = hub.api("local");
        assert.equal((await api.raw("GET", "//hub", undefined, { headers: { host } })).status, status);
        assert.equal(
          (await api.raw("GET", "//nothing", undefined, { headers: { host } })).status,
          status === 200 ? 404 : 403,
        );
      });
    }

    test("accepts any host through the tunnel and on the console", async () => {
      for (const listener of ["remote", "console"] as const) {
        const api = hub.api(listener);
        assert.equal(
          (await api.raw("GET", "//hub", undefined, { headers: { host: "evil.example" } })).status,
          200,
        );
      }
    });
  });

  describe("cross-origin calls", () => {
    test("answers a preflight for any path", async () => {
      for (const path of ["//hub", "/hub/poll", "//cc/9.9/hub/poll", "//nothing"]) {
        const headers = { origin: "https://ui.example", "access-control-request-method": "PUT" };
        const answer = await hub.api("local").raw("OPTIONS", path, undefined, { headers });
        assert.equal(answer.status, 204);
        assert.equal(answer.headers.get("access-control-allow-origin"), "*");
        assert.equal(answer.headers.get("access-control-allow-credentials"), null);
        assert.match(answer.headers.get("access-control-allow-methods") ?? "", /GET, PUT, POST, DELETE/);
        const allowed = answer.headers.get("access-control-allow-headers")?.split(", ") ?? [];
        for (const name of ["authorization", "x-hub-key", "content-type", "accept-language"]) {
          assert.ok(allowed.includes(name), name);
        }
      }
    });

    test("lets any page read every answer, errors included", async () => {
      const api = hub.api("local");
      for (const [path, key, status] of [
        ["//hub", undefined, 200],
        ["/hub/poll", owner, 200],
        ["/hub/poll", undefined, 401],
        ["//nothing", undefined, 404],
        ["//cc/1.10/hub/poll", undefined, 410],
        ["//metrics", owner, 200],
      ] as const) {
        const answer = await api.raw("GET", path, key);
        assert.equal(answer.status, status);
        assert.equal(answer.headers.get("access-control-allow-origin"), "*");
      }
    });
  });

  describe("version and path", () => {
    for (const [path, status] of [
      ["//cc/1.14/hub/poll", 401],
      ["//cc/1.10/hub/poll", 410],
      ["//cc/1.2/devices", 410],
      ["//cc/0.7/anything", 410],
      ["//cc/2.0", 410],
      ["//cc/1.140/hub/poll", 410],
      ["//cc/1.14/hub", 404],
      ["//cc/1.14/nothing", 404],
      ["//cc/1.14", 404],
      ["//cc/1/hub/poll", 404],
      ["//cc/1.14.15/hub/poll", 404],
      ["//cc/v1.14/hub/poll", 404],
      ["//cc//hub/poll", 404],
      ["//hub/poll", 404],
      ["//cc/1.14/hub/poll/", 404],
      ["//", 404],
    ] as const) {
      test(`answers GET ${path.slice(1)} without a credential with ${status}`, async () => {
        const answer = await hub.api("local").send("GET", path);
        assert.equal(answer.status, status);
        assert.equal(typeof message(answer.body), "string");
      });
    }

    test("answers 404 to a known path with another method", async () => {
      for (const [method, path] of [
        ["POST", "/hub/poll"],
        ["DELETE", "//hub"],
        ["PATCH", "/rooms"],
      ] as const) {
        assert.equal((await hub.api("local").send(method, path, owner)).status, 404);
      }
    });

    for (const [since, status] of [
      ["1.14.15", 200],
      ["1.14.9", 200],
      ["1.14.15.7", 200],
      ["1.14.15.8", 404],
      ["1.14.16", 404],
      ["1.15", 404],
    ] as const) {
      test(`answers ${status} for a row since ${since} on a hub of version 1.14.15.7`, async () => {
        assert.equal((await withRow(probe({ since })).send("GET", "/probe", owner)).status, status);
      });
    }

    test("answers HEAD like GET, without a body", async () => {
      const answer = await hub.api("local").raw("HEAD", "//hub");
      assert.deepEqual([answer.status, answer.body], [200, ""]);
      assert.equal((await hub.api("local").raw("HEAD", "/hub/poll")).status, 401);
      assert.equal((await hub.api("local").raw("HEAD", "/events", owner)).status, 200);
      assert.equal(hub.ports.streams.size, 0);
    });
  });

  describe("rates", () => {
    test("counts requests without a credential by address", async () => {
      let address = "192.168.1.5";
      const api = hub.api("local", { perAddress: { open: 3 }, addressOf: () => address });
      const statuses = async (count: number): Promise<number[]> => {
        const found: number[] = [];
        while (found.length < count) found.push((await api.send("GET", "//hub")).status);
        return found;
      };
      assert.deepEqual(await statuses(4), [200, 200, 200, 429]);
      const refused = await api.send("GET", "//hub");
      assert.equal(refused.headers.get("retry-after"), "20");
      assert.match(message(refused.body), /20 s/);
      address = "192.168.1.6";
      assert.deepEqual(await statuses(1), [200]);
      address = "192.168.1.5";
      clock.advance(19_999);
      assert.deepEqual(await statuses(1), [429]);
      clock.advance(1);
      assert.deepEqual(await statuses(2), [200, 429]);
    });

    test(`counts ${limits.addressBuckets} addresses, and forgets the least recently seen beyond that`, async () => {
      let address = "10.0.0.0";
      const api = hub.api("local", { perAddress: { open: 1 }, addressOf: () => address });
      const ask = async (number: number): Promise<number> => {
        address = `10.0.${number >> 8}.${number & 255}`;
        return (await api.send("GET", "//hub")).status;
      };
      for (let number = 0; number < limits.addressBuckets; number++) assert.equal(await ask(number), 200);
      assert.equal(await ask(0), 429);
      assert.equal(await ask(limits.addressBuckets), 200);
      assert.equal(await ask(0), 429);
      assert.equal(await ask(1), 200);
    });

    test("counts a bad credential by address and a good one by itself", async () => {
      const api = hub.api("local", { perAddress: { open: 2, key: 2 } });
      assert.equal((await api.send("GET", "/hub/tz", owner)).status, 200);
      assert.equal((await api.send("GET", "/hub/tz", "garbage")).status, 401);
      assert.equal((await api.send("GET", "/hub/tz", "garbage")).status, 429);
      assert.equal((await api.send("GET", "/hub/tz", owner)).status, 200);
      for (const status of [200, 200, 429]) assert.equal((await api.send("GET", "//hub")).status, status);
      assert.equal((await api.send("GET", "//hub", owner)).status, 200);
    });

    test("limits open reads, wrong keys and open writes separately", async () => {
      const api = hub.api("local", { perAddress: {} });
      const spend = async (method: string, path: string, key?: string): Promise<[number, number]> => {
        for (let served = 0; ; served++) {
          const { status } = await api.send(method, path, key);
          if (status === 429) return [served, (await api.send(method, path, key)).status];
        }
      };
      const wrong = await hub.sign({}, 0);
      assert.deepEqual(await spend("GET", "/hub/poll", wrong), [limits.wrongKeysPerMinutePerAddress, 429]);
      assert.deepEqual(await spend("GET", "/rooms", "null"), [0, 429]);
      assert.deepEqual(await spend("GET", "/hub/keycheck", wrong), [0, 429]);
      assert.deepEqual(await spend("POST", "/hub/claim?email=a@example.org"), [
        limits.actsPerMinutePerAddress,
        429,
      ]);
      assert.deepEqual(await spend("GET", "//healthz", wrong), [limits.openReadsPerMinutePerAddress, 429]);
      for (const path of ["//hub", "//apidoc", "/hub/housetypes", "/hub/keycheck"])
        assert.deepEqual(await spend("GET", path), [0, 429], path);
      assert.equal((await api.send("GET", "/hub/tz", owner)).status, 429, "not known to be good yet");
      clock.advance(60_000 / limits.wrongKeysPerMinutePerAddress);
      assert.equal((await api.send("GET", "/hub/tz", owner)).status, 200);
      assert.equal((await api.send("GET", "/hub/tz", owner)).status, 200);
    });

    test("limits the requests of each user at a rate that refills", async () => {
      hub = await openTestHub(memoryLog(), clock, { requestsPerMinutePerToken: 60 });
      const api = hub.api("local");
      const [one, other] = [await hub.sign(), await hub.sign({ nickname: "other" })];
      let granted = 0;
      while ((await api.send("GET", "/hub/tz", one)).status === 200) granted++;
      // The first request of a token is counted by address: it is not known to be good yet.
      assert.equal(granted, 61);
      assert.equal((await api.send("GET", "/hub/tz", other)).status, 200);
      const refused = await api.send("GET", "/hub/tz", one);
      assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "1"]);
      clock.advance(2000);
      const after: number[] = [];
      for (let i = 0; i < 3; i++) after.push((await api.send("GET", "/hub/tz", one)).status);
      assert.deepEqual(after, [200, 200, 429]);
    });

    test("does not limit the console", async () => {
      const api = hub.api("console", { perAddress: { open: 1, key: 1, act: 1 } });
      for (let i = 0; i < 5; i++) assert.equal((await api.send("GET", "/hub/tz")).status, 200);
    });
  });

  describe("a hub that is factory new", () => {
    beforeEach(async () => {
      hub = await openTestHub(memoryLog(), clock, { claimed: false });
      owner = await hub.sign({ role: roles.USER_ADMIN });
    });

    test("answers anonymous rows only, and says that it must be claimed first", async () => {
      const api = hub.api("local");
      assert.equal((await api.send("GET", "//hub")).status, 200);
      assert.equal((await api.send("GET", "/hub/keycheck", owner)).status, 200);
      for (const path of ["/hub/poll", "/rooms", "//metrics"]) {
        const [without, withKey] = [await api.send("GET", path), await api.send("GET", path, owner)];
        assert.deepEqual([without.status, withKey.status], [401, 403]);
        assert.equal(message(without.body), "claim the hub first");
        assert.equal(message(withKey.body), "claim the hub first");
      }
      assert.equal((await hub.api("console").send("GET", "/rooms")).status, 200);
    });
  });

  describe("features", () => {
    test("answers 403 while the row's feature is off", async () => {
      const api = withRow(probe({ feature: "LOG_SERVICE" }));
      const refused = await api.send("GET", "/probe", owner);
      assert.equal(refused.status, 403);
      assert.match(message(refused.body), /LOG_SERVICE/);
      await hub.run({ type: "SET_FEATURES", id: hub.hubId, features: [14] });
      assert.equal((await api.send("GET", "/probe", owner)).status, 200);
    });

    test("serves an anonymous local row of a feature that is on, but not through the relay", async () => {
      const log = probe({ access: "ANONYMOUS", remote: "refused", feature: "LOG_SERVICE" });
      await hub.run({ type: "SET_FEATURES", id: hub.hubId, features: [14] });
      assert.equal((await withRow(log).send("GET", "/probe")).status, 200);
      assert.equal((await hub.api("remote", { rows: [log] }).send("GET", "/probe", owner)).status, 403);
    });
  });

  describe("results", () => {
    for (const [what, result, body] of [
      ["true", true, true],
      ["null", null, null],
      ["a text", "Europe/Helsinki", "Europe/Helsinki"],
      ["bytes", Buffer.from('{"a":1}'), { a: 1 }],
      ["a promise", Promise.resolve([1]), [1]],
    ] as const) {
      test(`answers ${what} as JSON`, async () => {
        const answer = await withRow(probe({}, () => result)).send("GET", "/probe", owner);
        assert.equal(answer.status, 200);
        assert.equal(answer.headers.get("content-type"), "application/json");
        assert.deepEqual(answer.body, body);
      });
    }
  });

  describe("faults", () => {
    for (const [what, handle] of [
      ["a throw", () => assert.fail("the secret is 42")],
      ["a rejected promise", () => Promise.reject(new Error("the secret is 42"))],
      ["a handler that answers nothing", () => undefined],
    ] as const) {
      test(`answers ${what} with 500 and an id only, and logs the error once under it`, async () => {
        const { status, body } = await withRow(probe({}, handle)).send("GET", "/probe", owner);
        assert.equal(status, 500);
        const { message: told, id } = body as { message: string; id: string };
        assert.doesNotMatch(told, /42|nothing/);
        assert.equal(hub.logged.length, 1);
        assert.deepEqual([hub.logged[0]?.fields["id"], hub.logged[0]?.fields["row"]], [id, "GET /probe"]);
        assert.ok(told.includes(id));
      });
    }

    for (const [code, status, retryAfter] of [
      ["read-only", 507, null],
      ["failed", 500, null],
      ["busy", 503, "1"],
      ["spent", 429, "1"],
      ["closed", 503, "5"],
    ] as const) {
      test(`answers ${status} when the kernel is ${code}`, async () => {
        const handle = (): never => {
          throw new KernelError(code, "inner words");
        };
        const answer = await withRow(probe({}, handle)).send("GET", "/probe", owner);
        assert.deepEqual([answer.status, answer.headers.get("retry-after")], [status, retryAfter]);
        assert.doesNotMatch(message(answer.body), /inner/);
        assert.equal(hub.logged.length, code === "failed" ? 1 : 0);
      });
    }

    test("answers writes with 507 on a full disk, and still serves reads", async () => {
      const log = memoryLog();
      hub = await openTestHub(log, clock);
      owner = await hub.sign();
      const api = hub.api("local");
      log.failNext("full");
      assert.equal((await api.send("PUT", "/rooms", owner, { name: "Hall" })).status, 507);
      assert.equal((await api.send("PUT", "/rooms", owner, { name: "Hall" })).status, 507);
      assert.deepEqual((await api.send("GET", "/rooms", owner)).body, {});
      const health = await api.send("GET", "//healthz");
      assert.deepEqual(health.body, {
        status: "read-only",
        reason: "a write was made to fail",
        message: "read-only: a write was made to fail",
        clockTrusted: true,
        quotaExceeded: false,
      });
    });

    test("answers a write with 500 when the disk fails, and the health check with 503", async () => {
      const log = memoryLog();
      hub = await openTestHub(log, clock);
      owner = await hub.sign();
      const api = hub.api("local");
      log.failNext("failed");
      assert.equal((await api.send("PUT", "/rooms", owner, { name: "Hall" })).status, 500);
      assert.equal((await api.send("GET", "//healthz")).status, 503);
    });
  });

  test("only the console has the role SUPER_ADMIN", async () => {
    const options = { rows: [probe({ access: "SUPER_ADMIN", method: "PUT" })] };
    assert.equal((await hub.api("console", options).send("PUT", "/probe")).status, 200);
    assert.equal((await hub.api("local", options).send("PUT", "/probe", owner)).status, 403);
    assert.deepEqual((await hub.api("console").send("PUT", "/rooms", undefined, { name: "Hall" })).body, [
      true,
    ]);
    const events = [...hub.kernel.log.read()].flatMap((commit) => commit.events);
    assert.equal(events.at(-1)?.origin, "console");
  });

  test("passes the language of Accept-Language to the handler", async () => {
    let language: string | undefined;
    const handle: Row["handle"] = (call) => {
      ({ language } = call);
      return true;
    };
    const api = withRow({ ...probe({}), handle });
    for (const [header, wanted] of [
      ["sv-FI, en;q=0.5", "sv"],
      ["fr", "en"],
    ] as const) {
      await api.raw("GET", "/probe", owner, { headers: { "accept-language": header } });
      assert.equal(language, wanted);
    }
  });
});
