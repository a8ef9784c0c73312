import assert from "node:assert/strict";
import type { NetworkInterfaceInfo } from "node:os";
import { test } from "node:test";
import { ForbiddenAddress, Outgoing } from "@ledge/link/outgoing";
import { limits } from "@ledge/model";
import { Receivers } from "./receivers.ts";

const outside = new Receivers();
const lab = new Receivers(["127.0.0.0/8", "10.1.0.0/16"]);

test("a receiver is an https URL of a host of the internet", () => {
  const base = "https://hooks.example/";
  const fits = base.padEnd(limits.egressUrlChars, "x");
  for (const url of [
    base,
    "https://8.8.8.8/in?key=1",
    "https://hooks.example:443/",
    "https://hooks.example:1024/",
    fits,
  ])
    assert.equal(outside.problemOf(url), undefined, url);
  for (const url of [
    "",
    "hooks.example",
    "//hooks.example/",
    "http://hooks.example/",
    "ftp://hooks.example/",
    "file:///etc/passwd",
    "https://",
    "https://user@hooks.example/",
    "https://:password@hooks.example/",
    "https://hooks.example/#part",
    "https://hooks.example:22/",
    "https://hooks.example:1023/",
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://[::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://10.1.0.1/",
    `${fits}x`,
  ])
    assert.notEqual(outside.problemOf(url), undefined, url);
});

test("networks that the operator allows may be called without TLS and on any port, and no others", () => {
  for (const url of [
    "http://127.0.0.1:80/",
    "http://127.0.0.1:9/",
    "https://10.1.2.3/",
    "http://receiver.lan/",
  ])
    assert.equal(lab.problemOf(url), undefined, url);
  for (const url of ["http://10.2.0.1/", "http://8.8.8.8/", "https://192.168.0.1/", "http://user@127.0.0.1/"])
    assert.notEqual(lab.problemOf(url), undefined, url);
  assert.deepEqual(
    [lab.mayAsk("10.1.0.1", true), lab.mayAsk("8.8.8.8", true), lab.mayAsk("8.8.8.8", false)],
    [true, false, true],
  );
});

test("the cloud sends nothing to its own public address, in whatever form it is written", () => {
  const own = (address: string, family: "IPv4" | "IPv6"): NetworkInterfaceInfo => {
    const rest = { netmask: "", mac: "", internal: false, cidr: null };
    return family === "IPv4" ? { address, family, ...rest } : { address, family, scopeid: 0, ...rest };
  };
  const eth0 = [own("8.8.4.4", "IPv4"), own("2606:4700::7", "IPv6"), own("fe80::7", "IPv6")];
  const receivers = new Receivers([], () => ({ eth0, down: undefined }));
  for (const address of [
    "8.8.4.4",
    "::ffff:8.8.4.4",
    "::ffff:808:404",
    "64:ff9b::8.8.4.4",
    "2002:808:404::1",
    "2606:4700::7",
    "2606:4700:0:0:0:0:0:7",
  ])
    assert.equal(receivers.mayAsk(address, false), false, address);
  for (const address of ["8.8.4.5", "::ffff:8.8.4.5", "2002:808:405::1", "2606:4700::8"])
    assert.equal(receivers.mayAsk(address, false), true, address);
  assert.notEqual(receivers.problemOf("https://[::ffff:8.8.4.4]/"), undefined);
});

test("networks of the operator are addresses", () => {
  assert.throws(() => new Receivers(["receiver.lan"]), /is not the address/);
});

test("a name is judged by the addresses of each connection, all of them", async () => {
  const answers = [
    ["127.0.0.1"],
    ["8.8.8.8", "10.0.0.1"],
    ["::ffff:192.168.0.1"],
    ["64:ff9b::7f00:1"],
    ["fe80::1"],
  ];
  let count = 0;
  const outgoing = new Outgoing(outside, {
    resolve(_, __, callback) {
      const found = answers[count++] ?? [];
      callback(
        null,
        found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      );
    },
  });
  const post = { method: "POST", headers: {}, body: "{}", timeoutMs: 5000, bytesMax: 10 } as const;
  for (const addresses of answers)
    await assert.rejects(
      outgoing.exchange("https://hooks.example/", post),
      ForbiddenAddress,
      addresses.join(" "),
    );
  assert.equal(count, answers.length);
  outgoing.close();
});
