import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { limits } from "@ledge/model";
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
  for (const [bounds, fits] of cases) {
    const images = await scanned([{ ...entry, ...bounds }]);
    assert.equal(images.newest(running, lamp) !== undefined, fits, JSON.stringify(bounds));
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

test("finds images in subfolders where an index of the community or a path names them", async () => {
  await mkdir(join(folder, "images", "IKEA"), { recursive: true });
  await rm(join(folder, "lamp.ota"));
  await writeFile(join(folder, "images", "IKEA", "lamp 1.ota"), bytes);
  const root = "https://raw.githubusercontent.com/Koenkk/zigbee-OTA/master";
  const places = [
    { url: `${root}/images/IKEA/lamp%201.ota?raw=true` },
    { url: "images/IKEA/lamp 1.ota" },
    { url: "./images//IKEA/lamp 1.ota" },
    { url: undefined, fileName: "images/IKEA/lamp 1.ota" },
    { url: "https://example.org/elsewhere.ota", fileName: "images\\IKEA\\lamp 1.ota" },
  ];
  for (const place of places) {
    const images = await scanned([{ ...entry, ...place }]);
    const found = images.newest(running, lamp);
    assert.ok(found, JSON.stringify(place));
    await images.verify(found);
  }
  assert.equal((await scanned([])).newest(running, lamp), undefined, "no entry names it");
  assert.deepEqual(complaints, []);
});

test("skips entries and links that leave the folder, and says so", async () => {
  const outside = await mkdtemp(join(tmpdir(), "ledge-outside-"));
  const path = join(outside, "lamp.ota");
  await writeFile(path, bytes);
  await rm(join(folder, "lamp.ota"));
  const ways = [
    path,
    `../${basename(outside)}/lamp.ota`,
    "a/../../lamp.ota",
    `file://${path}`,
    "C:\\lamp.ota",
  ];
  for (const way of [...ways, "https://example.org/%2e%2e/lamp.ota"]) {
    for (const place of [{ url: way }, { url: undefined, fileName: way }]) {
      const images = await scanned([{ ...entry, fileName: undefined, ...place }]);
      assert.equal(images.newest(running, lamp), undefined, way);
      assert.deepEqual(complaints, ["an entry names a file outside of the folder"], way);
    }
  }
  await symlink(path, join(folder, "lamp.ota"));
  await symlink(outside, join(folder, "more"));
  const images = await scanned([entry, { ...entry, fileName: "more/lamp.ota" }]);
  assert.equal(images.newest(running, lamp), undefined);
  assert.ok(complaints.includes("it is outside of the folder"), complaints.join());
  await rm(outside, { recursive: true });
});

test("an entry with force replaces a newer version, but not its own", async () => {
  const newer = { ...running, fileVersion: 9 };
  assert.equal((await scanned([entry])).newest(newer, lamp), undefined);
  const images = await scanned([{ ...entry, force: true }]);
  assert.equal(images.newest(newer, lamp)?.fileVersion, 5);
  assert.equal(images.newest({ ...running, fileVersion: 5 }, lamp), undefined, "it runs that version");
  assert.equal(images.newest(newer, { ...lamp, model: "Lamp2" }), undefined, "it is of another model");
  assert.equal(images.newest({ ...newer, imageType: 1 }, lamp), undefined, "it is of another type");
  await writeFile(join(folder, "newest.ota"), imageFile({ fileVersion: 12 }));
  const both = await scanned([{ ...entry, force: true }, { fileName: "newest.ota" }]);
  assert.equal(both.newest(running, lamp)?.fileVersion, 5, "a forced image goes before a newer one");
  for (const force of [false, null, 1, "true"])
    assert.equal((await scanned([{ ...entry, force }])).newest(newer, lamp)?.fileVersion, 12);
});

test("a folder with too many images says so", async () => {
  for (let index = 0; index <= limits.upgradeImages; index += 1)
    await writeFile(join(folder, `x${index}.ota`), "");
  await scanned([]);
  assert.ok(complaints.includes(`the folder has more than ${limits.upgradeImages} images`));
});

test("a damaged or huge index is logged, and images are used by their heads", async () => {
  for (const list of ["{}", "[", "x".repeat(4_194_305)]) {
    const images = await scanned(list);
    assert.ok(images.newest(running, lamp));
    assert.equal(complaints.length, 1, list.slice(0, 9));
  }
});
