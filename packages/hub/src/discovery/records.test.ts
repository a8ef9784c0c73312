import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Answer, Question } from "dns-packet";
import { decode, encode } from "dns-packet";
import { answersTo, asGoodbye, asLegacy, hashOf, hostNameOf, recordsOf } from "./records.ts";

const hubId = "514370f9-4be9-40d5-84d3-714b14be5e19";
const records = recordsOf({ hubId, name: "Cabin", port: 8893, facts: { version: "1.14.15.1" } }, [
  "192.0.2.7",
  "fe80::7",
]);
const instance = `Cabin ${hashOf(hubId).slice(0, 6)}._ledge._tcp.local`;
const question = (name: string, type: string): Question => ({ name, type }) as Question;
const typesOf = (found: readonly Answer[]): string => found.map(({ type }) => type).join(" ");

describe("the hub's records", () => {
  test("hold its name, version, port and a hash of its id, but not the id", () => {
    const bytes = encode({ type: "response", answers: records });
    assert.equal(bytes.includes(hubId), false);
    const { answers = [] } = decode(bytes);
    const [, , srv, txt, a, aaaa] = answers as unknown as { name: string; data: unknown }[];
    assert.deepEqual(
      [srv?.name, srv?.data],
      [instance, { port: 8893, target: hostNameOf(hubId), priority: 0, weight: 0 }],
    );
    assert.deepEqual(String(txt?.data), `name=Cabin,id=${hashOf(hubId)},version=1.14.15.1`);
    assert.deepEqual([a?.name, a?.data], [hostNameOf(hubId), "192.0.2.7"]);
    assert.deepEqual([aaaa?.name, aaaa?.data], [hostNameOf(hubId), "fe80::7"]);
    assert.match(hostNameOf(hubId), /^ledge-[0-9a-f]{6}\.local$/);
  });

  test("fit a label and a packet, whatever the name", () => {
    for (const name of ["", ".", "a.b\n", "ä".repeat(128), "👩‍👩‍👧".repeat(40), "x".repeat(128)]) {
      const packet = encode({
        type: "response",
        answers: recordsOf({ hubId, name, port: 1, facts: {} }, ["192.0.2.7"]),
      });
      const { answers = [] } = decode(packet);
      assert.ok(Buffer.byteLength(answers[2]?.name.replace("._ledge._tcp.local", "") ?? "") <= 63, name);
      assert.equal(answers[2]?.name.split(".").length, 4);
      assert.ok(packet.length < 1200);
    }
  });
});

describe("the answer to a question", () => {
  for (const [name, type, answers, additionals] of [
    ["_ledge._tcp.local", "PTR", "PTR", "SRV TXT A AAAA"],
    ["_LEDGE._tcp.local", "ANY", "PTR", "SRV TXT A AAAA"],
    ["_services._dns-sd._udp.local", "PTR", "PTR", ""],
    [instance, "SRV", "SRV", "TXT A AAAA"],
    [instance, "TXT", "TXT", "SRV A AAAA"],
    [instance, "ANY", "SRV TXT", "A AAAA"],
    [hostNameOf(hubId), "A", "A", ""],
    [hostNameOf(hubId), "AAAA", "AAAA", ""],
    ["ledge.local", "A", "", ""],
    ["_http._tcp.local", "PTR", "", ""],
  ] as const) {
    test(`${type} of ${name}`, () => {
      const found = answersTo([question(name, type)], [], records);
      assert.deepEqual([typesOf(found.answers), typesOf(found.additionals)], [answers, additionals]);
    });
  }

  test("is left out when the asker already knows the record for long enough", () => {
    const asked = [question("_ledge._tcp.local", "PTR")];
    const known = records.filter(({ type }) => type === "PTR");
    assert.deepEqual(answersTo(asked, known, records).answers, []);
    const old = known.map((record) => ({ ...record, ttl: 2249 }) as Answer);
    assert.equal(answersTo(asked, old, records).answers.length, 1);
    const of = known.map((record) => ({ ...record, data: "Other._ledge._tcp.local" }) as Answer);
    assert.equal(answersTo(asked, of, records).answers.length, 1);
  });

  test("lives 10 s for a plain DNS client; the goodbye covers only the hub's own records", () => {
    const keeping = (found: readonly Answer[]): unknown[] => [
      ...new Set(found.map((record) => (record as { ttl?: number }).ttl)),
    ];
    assert.deepEqual(keeping(asLegacy(records)), [10]);
    assert.equal(
      decode(encode({ type: "response", answers: asLegacy(records) })).answers?.[4]?.name,
      hostNameOf(hubId),
    );
    const bye = asGoodbye(records);
    assert.deepEqual(keeping(bye), [0]);
    assert.equal(typesOf(bye), "PTR SRV TXT A AAAA");
  });
});
