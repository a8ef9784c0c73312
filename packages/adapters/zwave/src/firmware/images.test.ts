import assert from "node:assert/strict";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { crc32 } from "node:zlib";
import { plans } from "@ledge/testkit/zwave";
import { Images } from "./images.ts";

const folder = mkdtempSync(join(tmpdir(), "ledge-zwave-images-"));
after(() => rmSync(folder, { recursive: true }));

/** Reads a file of the folder as the hub does. */
async function read(name: string, content?: Uint8Array | string): Promise<Uint8Array> {
  if (content !== undefined) writeFileSync(join(folder, name), content);
  const upgrade = { version: "2.0", files: [{ url: `https://firmware.example.org/${name}?v=2` }] };
  const [part] = await new Images(folder, () => {}).read(upgrade);
  return part?.data ?? assert.fail("no part");
}

const firmware = Uint8Array.from({ length: 48 }, (_, index) => index * 5);

/** Writes bytes as Intel HEX, 16 in a record, from an address on. */
function hexOf(bytes: Uint8Array, from: number): string {
  const records = Array.from({ length: bytes.length / 16 }, (_, index) => {
    const at = from + index * 16;
    return record([16, at >> 8, at & 0xff, 0, ...bytes.subarray(index * 16, index * 16 + 16)]);
  });
  return [...records, record([0, 0, 0, 1])].join("\n");
}

function record(bytes: readonly number[]): string {
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  return `:${Buffer.from([...bytes, -sum & 0xff])
    .toString("hex")
    .toUpperCase()}`;
}

/** Builds an archive whose files are stored as they are (APPNOTE 6.3, 4.3). */
function zipOf(files: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const [bodies, entries]: [Buffer[], Buffer[]] = [[], []];
  for (const [name, bytes] of Object.entries(files)) {
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt32LE(crc32(bytes), 10);
    facts.writeUInt32LE(bytes.length, 14);
    facts.writeUInt32LE(bytes.length, 18);
    facts.writeUInt16LE(name.length, 22);
    const at = Buffer.alloc(14);
    at.writeUInt32LE(Buffer.concat(bodies).length, 10);
    entries.push(Buffer.concat([Buffer.from("PK\u0001\u0002\u0014\0"), facts, at, Buffer.from(name)]));
    bodies.push(Buffer.from("PK\u0003\u0004"), facts, Buffer.from(name), Buffer.from(bytes));
  }
  const [body, list] = [Buffer.concat(bodies), Buffer.concat(entries)];
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(body.length, 12);
  return Buffer.concat([body, list, Buffer.from("PK\u0005\u0006"), end]);
}

test("reads Intel HEX in .hex, .ota and .otz, and fills what stands before it", async () => {
  const text = hexOf(firmware, 0x20);
  const whole = Uint8Array.from([...Buffer.alloc(0x20, 0xff), ...firmware]);
  for (const ending of ["hex", "ota", "otz"]) assert.deepEqual(await read(`a.${ending}`, text), whole);
  await assert.rejects(read("b.hex", text.replace(/.$/m, "0")), /HEX|checksum/i);
});

test("reads binary images in .otz, .ota and .gbl as they are", async () => {
  for (const ending of ["otz", "ota"]) assert.deepEqual(await read(`c.${ending}`, firmware), firmware);
  const image = Uint8Array.from(plans.firmwareImage("2.0"));
  assert.deepEqual(await read("c.gbl", image), image);
  await assert.rejects(read("d.gbl", firmware), /format/);
});

test("reads the one image in an archive, and refuses several and none", async () => {
  const image = Uint8Array.from(plans.firmwareImage("2.0"));
  const notes = Buffer.from("what is new");
  assert.deepEqual(await read("e.zip", zipOf({ "notes.txt": notes, "plug.gbl": image })), image);
  const hex = Buffer.from(hexOf(firmware, 0));
  assert.deepEqual(await read("f.ZIP", zipOf({ "plug.hex": hex })), firmware);
  for (const files of [{ "notes.txt": notes }, { "a.gbl": image, "b.hex": hex }, { "a.gbl": notes }])
    await assert.rejects(read("g.zip", zipOf(files)), /holds no firmware, or several files/);
  await assert.rejects(read("h.zip", "no archive"));
});

test("refuses an empty file, one that is missing, and one outside of the folder", async () => {
  await assert.rejects(read("i.ota", ""), /holds no firmware/);
  await assert.rejects(read("j.gbl"), /is not in the folder/);
  symlinkSync("/etc/hostname", join(folder, "k.otz"));
  await assert.rejects(read("k.otz"), /outside of the folder/);
});
