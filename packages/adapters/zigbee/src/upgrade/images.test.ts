import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { Images } from "./images.ts";
import { imageFile } from "./testdata/image-file.ts";

const bytes = imageFile({ fileVersion: 5 });
const running = { manufacturerCode: 0x117c, imageType: 0x2101, fileVersion: 2, hardwareVersion: 3 };
const lamp = { manufacturer: "IKEA of Sweden", model: "Lamp1" };
/** An entry as the community writes it. */
const entry = {
  fileName: "lamp.ota",
  fileVersion: 5,
  fileSize: bytes.length,
  url: "https://example.org/images/IKEA/lamp.ota",
  imageType: 0x2101,
  manufacturerCode: 0x117c,
  sha512: createHash("sha512").update(bytes).digest("hex"),
  otaHeaderString: "a test image",
  modelId: "Lamp1",
  manufacturerName: ["IKEA of Sweden"],
};

let folder: string;
let complaints: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ledge-images-"));
  await writeFile(join(folder, "lamp.ota"), bytes);
});
afterEach(() => rm(folder, { recursive: true }));

async function scanned(list: unknown): Promise<Images> {
  complaints = [];
  await writeFile(join(folder, "index.json"), typeof list === "string" ? list : JSON.stringify(list));
  const images = new Images(folder, (_level, _message, fields) =>
    complaints.push(String(fields?.["reason"])),
  );
  await images.scan();
  return images;
}

test("an index of the community restricts an image to its devices", async () => {
  const images = await scanned([entry]);
  const found = images.newest(running, lamp);
  assert.ok(found);
  await images.verify(found);
  assert.equal(images.newest(running, { ...lamp, model: "Lamp2" }), undefined);
  assert.equal(images.newest(running, { ...lamp, manufacturer: "Nobody" }), undefined);
  assert.deepEqual(complaints, []);
});

test("an image may stand in several entries, and an entry may name it by its URL alone", async () => {
  const { fileName: _, ...byUrl } = entry;
  const images = await scanned([{ ...byUrl, modelId: "Lamp2" }, entry]);
  assert.ok(images.newest(running, lamp));
  assert.ok(images.newest(running, { ...lamp, model: "Lamp2" }));
});

test("an entry restricts an image to versions of firmware and hardware", async () => {
  const cases = [
    [{ minFileVersion: 2, maxFileVersion: 2, hardwareVersionMin: 3, hardwareVersionMax: 3 }, true],
    [{ minFileVersion: 3 }, false],
    [{ maxFileVersion: 1 }, false],
    [{ hardwareVersionMin: 4 }, false],
    [{ hardwareVersionMax: 2 }, false],
  ] as const;
  for (const [limits, fits] of cases) {
    const images = await scanned([{ ...entry, ...limits }]);
    assert.equal(images.newest(running, lamp) !== undefined, fits, JSON.stringify(limits));
  }
});

test("a file that differs from its entry is not used", async () => {
  for (const field of ["fileVersion", "imageType", "manufacturerCode"] as const) {
    const images = await scanned([{ ...entry, [field]: 9 }]);
    assert.equal(images.newest(running, lamp), undefined, field);
    assert.deepEqual(complaints, [`its ${field} differs from the list`]);
  }
  for (const [change, says] of [
    [{ fileSize: 1 }, /size/],
    [{ sha512: "00" }, /hash/],
  ] as const) {
    const images = await scanned([{ ...entry, ...change }]);
    const found = images.newest(running, lamp);
    assert.ok(found);
    await assert.rejects(images.verify(found), says);
  }
});

test("a damaged or huge index is logged, and images are used by their heads", async () => {
  for (const list of ["{}", "[", "x".repeat(4_194_305)]) {
    const images = await scanned(list);
    assert.ok(images.newest(running, lamp));
    assert.equal(complaints.length, 1, list.slice(0, 9));
  }
});
