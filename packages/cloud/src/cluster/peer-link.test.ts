import assert from "node:assert/strict";
import { after, test } from "node:test";
import { PeerError, PeerLink } from "./peer-link.ts";

const keys = new Map([
  ["ours", Buffer.alloc(32, 1)],
  ["theirs", Buffer.alloc(32, 2)],
]);
/** @param name of the key that it has, and says that it has */
const linkWith = (key: string, name = key): PeerLink =>
  new PeerLink({
    get: (id) => (id === name ? keys.get(key) : undefined),
    sealing: () => ({ id: name, key: keys.get(key) ?? assert.fail() }),
  });

const links: PeerLink[] = [];
after(() => Promise.all(links.map((link) => link.close())));

test("a process answers those with the key of the cloud, and nobody else", async () => {
  const [here, there, wrong, unknown] = [
    linkWith("ours"),
    linkWith("ours"),
    linkWith("theirs", "ours"),
    linkWith("theirs"),
  ];
  links.push(here, there, wrong, unknown);
  here.handle({
    call: async (path, json) => {
      if (path === "bad") throw new Error("no");
      return { path, json };
    },
    passed: (_incoming, outgoing) => void outgoing.end(),
    upgraded: (_incoming, socket) => void socket.destroy(),
  });
  const address = await here.listen("127.0.0.1", 0);
  assert.deepEqual(await there.call(address, "x", [1]), { path: "x", json: [1] });
  await assert.rejects(there.call(address, "bad", {}), /status 500: no/);
  for (const link of [wrong, unknown]) await assert.rejects(link.call(address, "x", {}), PeerError);
  await assert.rejects(fetch(`https://${address}/.cluster/x`, { method: "POST", body: "{}" }));
});

test("a call that is not answered in time fails", async () => {
  const [here, there] = [linkWith("ours"), linkWith("ours")];
  links.push(here, there);
  here.handle({
    call: (_path, _json, signal) => new Promise((resolve) => signal.addEventListener("abort", resolve)),
    passed: (_incoming, outgoing) => void outgoing.end(),
    upgraded: (_incoming, socket) => void socket.destroy(),
  });
  const address = await here.listen("127.0.0.1", 0);
  await assert.rejects(there.call(address, "x", {}, { timeoutMs: 10 }), PeerError);
});

test("a call to nobody fails as one that was not sent", async () => {
  const [there, here] = [linkWith("ours"), linkWith("ours")];
  links.push(there, here);
  const address = await there.listen("127.0.0.1", 0);
  await assert.rejects(here.call(address, "x", {}), /503/, "a process that is starting answers nothing");
  await there.close();
  const failed = await here.call(address, "x", {}).catch((error: unknown) => error);
  assert.ok(failed instanceof PeerError && !failed.isSent, String(failed));
});
