import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, test } from "node:test";
import { createLogger } from "@ledge/host/logger";
import { systemClock } from "@ledge/kernel";
import { verifyHubKey } from "@ledge/link";
import { type HubUser, limits, roles } from "@ledge/model";
import { openTestKernel, temporaryFolder, type TestKernel, until } from "@ledge/testkit";
import { SimulatedCloud } from "@ledge/testkit/cloud";
import { IdentityKey } from "../secrets/identity-key.ts";
import { Notes } from "../notes/notes.ts";
import { CloudLink } from "./cloud-link.ts";

const logger = createLogger("silent");
let cloud: SimulatedCloud;
let home: TestKernel;
let hubId: string;
let identity: IdentityKey;
let folder: ReturnType<typeof temporaryFolder>;
const ends: (() => Promise<void>)[] = [];

beforeEach(async () => {
  folder = temporaryFolder();
  cloud = await SimulatedCloud.open();
  home = openTestKernel();
  hubId = await home.accept({ type: "CREATE_HUB", name: "Cabin", timezone: "UTC" });
  await home.accept({ type: "SET_FEATURES", id: hubId, features: [5, 9] });
  identity = await IdentityKey.open(folder.path, logger);
});

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await cloud.close();
  await home.kernel.close();
  folder.remove();
});

function linked(url = cloud.url): CloudLink {
  const link = new CloudLink({
    url,
    kernel: home.kernel,
    hubId,
    identity,
    instance: "only",
    notes: new Notes(home.kernel, systemClock, logger),
    clock: systemClock,
    logger,
    random: () => 0,
    version: "1.14.15.1",
    fetch: () => new Response("a hub"),
    lanAddresses: () => ["192.0.2.7"],
  });
  ends.push(() => link.stop());
  link.start();
  return link;
}

const claim = (link: CloudLink, email: string): Promise<unknown> =>
  link.claim(email, (userId) => home.accept({ type: "CLAIM_HUB", id: hubId, userId, email }));
const user = (email: string): HubUser | undefined =>
  [...home.kernel.all("user")].map(([, one]) => one).find((one) => one.user_info.user.email === email);
const seen = (): unknown => ({ ...home.kernel.get("hub", hubId)?.cloud, keys: undefined });

async function problemOf(key: string, { keys, issuer: name = "" }: CloudLink): Promise<string | undefined> {
  const issuers = [{ name, keys, lifetimeMs: limits.hubKeyMs }];
  return (await verifyHubKey(key, { issuers, hubId }, Date.now())).problem;
}

test("a hub gets its owner from the cloud, and takes over changes to its users", async () => {
  const link = linked();
  await claim(link, "ann@example.org");
  const [listed] = cloud.usersOf(hubId);
  assert.equal(home.kernel.get("hub", hubId)?.owner, listed?.user_id);
  const key = await cloud.keyOf(hubId, "bob@example.org", roles.GUEST);
  assert.equal(user("bob@example.org")?.user_info.role, roles.GUEST);
  assert.equal(await problemOf(key, link), undefined);
  assert.deepEqual(seen(), { url: cloud.url, issuer: cloud.issuer, seq: 2, keys: undefined });
  await cloud.setUsers(
    hubId,
    cloud.usersOf(hubId).filter(({ owner }) => owner),
  );
  assert.equal(user("bob@example.org")?.revoked, true);
});

test("the cloud hears which users the hub revokes, and its next list does not bring them back", async () => {
  const link = linked();
  await claim(link, "ann@example.org");
  await cloud.keyOf(hubId, "bob@example.org", roles.USER_ADMIN);
  const { id = "" } = user("bob@example.org") ?? {};
  await home.accept({ type: "REVOKE_USER", id });
  await until(() => cloud.usersOf(hubId).length === 1);
  await cloud.keyOf(hubId, "cy@example.org");
  assert.equal(user("bob@example.org")?.revoked, true);
});

test("a hub that was claimed without its cloud tells the cloud who owns it", async () => {
  await home.accept({ type: "CLAIM_HUB", id: hubId, userId: "local", email: "ann@example.org" });
  linked();
  await until(() => user("ann@example.org")?.revoked === true);
  const owner = home.kernel.get("hub", hubId)?.owner ?? "";
  assert.equal(home.kernel.get("user", owner)?.user_info.user.email, "ann@example.org");
  assert.equal(owner, cloud.usersOf(hubId)[0]?.user_id);
});

test("a hub whose owner gave no address stays unknown to the cloud, and is linked all the same", async () => {
  await home.accept({ type: "CLAIM_HUB", id: hubId, userId: "local", email: "", nickname: "Ann" });
  const link = linked();
  await until(() => link.connected && cloud.requests.some((one) => one.includes("/hub/authorizations")));
  assert.deepEqual(
    cloud.requests.filter((one) => one.includes("/hub/claim")),
    [],
  );
  assert.equal(home.kernel.get("hub", hubId)?.owner, "local");
});

test("keys and the list of users survive the loss of the cloud", async () => {
  await claim(linked(), "ann@example.org");
  const key = await cloud.ownerKey(hubId);
  await until(() => (home.kernel.get("hub", hubId)?.cloud?.seq ?? 0) > 0);
  await ends.pop()?.();
  const { url } = cloud;
  await cloud.close();
  const away = linked(url);
  const { seq, generation, connected } = away;
  assert.equal(await problemOf(key, away), undefined);
  assert.deepEqual([seq, generation, connected], [1, 1, false]);
});

test("the tunnel follows the hub's features, and a claim works without it", async () => {
  await home.accept({ type: "SET_FEATURES", id: hubId, features: [] });
  const link = linked();
  await claim(link, "ann@example.org");
  await until(() => link.seq === 1);
  assert.equal(link.connected, false);
  assert.ok(!cloud.requests.some((request) => request.includes("tunnel")));
  await home.accept({ type: "SET_FEATURES", id: hubId, features: [9] });
  await until(() => link.connected);
  await home.accept({ type: "SET_FEATURES", id: hubId, features: [] });
  await until(() => !link.connected);
});

test("only one of two simultaneous claims succeeds", async () => {
  const link = linked();
  const emails = ["ann@example.org", "bob@example.org"];
  const made = await Promise.all(emails.map((email) => claim(link, email)));
  assert.equal(made.filter((one) => one === undefined).length, 1);
  await until(() => link.seq > 0);
  assert.deepEqual([...home.kernel.all("user")].length, 1);
});

test("refuses nonsense from the cloud and tries again", async () => {
  const nonsense: readonly [status: number, body: string][] = [
    [200, "<html>log in to this network</html>"],
    [200, "null"],
    [200, '{"nonce":5,"issuer":"x"}'],
    [200, '{"nonce":"n","issuer":"x","token":"t","jwks":{"keys":[]},"lifetimeMs":1}'],
    [200, '{"nonce":"n","issuer":"x","token":"t","jwks":{"keys":"all"},"lifetimeMs":"1"}'],
    [200, "x".repeat(2_000_000)],
    [302, ""],
    [500, '{"message":{}}'],
  ];
  for (const [status, body] of nonsense) {
    cloud.instead = (request, response) => {
      request.resume();
      response.writeHead(status, status === 302 ? { location: "http://127.0.0.1:1/" } : {}).end(body);
      return true;
    };
    const link = linked();
    await assert.rejects(claim(link, "ann@example.org"), { name: "CloudError" }, body.slice(0, 60));
    assert.deepEqual([link.connected, link.keys.size], [false, 0]);
    await ends.pop()?.();
  }
  assert.equal(home.kernel.get("hub", hubId)?.cloud, null);
  for (const path of ["/hub/claim", "/hub/authorizations"]) {
    cloud.instead = ({ url }, response) => {
      if (url === path) response.end("<html>");
      return url === path;
    };
    const claimed = claim(linked(), "ann@example.org");
    await (path === "/hub/claim" ? assert.rejects(claimed, { name: "CloudError" }) : claimed);
    await ends.pop()?.();
  }
  cloud.instead = () => false;
  const link = linked();
  await until(() => link.seq > 0);
});

test("does not trust another cloud at the same address", async () => {
  const link = linked();
  await claim(link, "ann@example.org");
  await ends.pop()?.();
  cloud.instead = (request, response) => {
    if (request.url !== "/hub/challenge") return false;
    request.resume();
    response.end('{"nonce":"n","issuer":"somebody else"}');
    return true;
  };
  await assert.rejects(
    claim(linked(), "eve@example.org"),
    /was simulated-cloud and says that it is somebody/,
  );
});

test("a cloud that never answers does not delay the hub's stop", async () => {
  const mute = createServer(() => {});
  mute.listen(0, "127.0.0.1");
  await once(mute, "listening");
  const link = linked(`http://127.0.0.1:${(mute.address() as AddressInfo).port}`);
  const waiting = assert.rejects(claim(link, "ann@example.org"), { name: "CloudError" });
  await ends.pop()?.();
  await waiting;
  mute.closeAllConnections();
  mute.close();
});
