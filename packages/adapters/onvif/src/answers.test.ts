import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyOf, type XmlElement } from "@ledge/soap";
import { exampleAnswers } from "@ledge/testkit/onvif";
import { seededRandom } from "@ledge/testkit";
import { answerLimits, readMotion, readPresets, readProfiles, streamUri } from "./answers.ts";
import { mutated, tryAnswer } from "./testdata/mutated.ts";

const cases = Number(process.env["CASES"] ?? 1000);

const body = (text: string): XmlElement => bodyOf(`<Envelope><Body>${text}</Body></Envelope>`);

const seed = Number(process.env["SEED"] ?? 1);

test(`reads ${cases} changed answers of cameras, or refuses them (SEED=${seed})`, () => {
  const below = seededRandom(seed);
  for (let count = 0; count < cases; count += 1) {
    const text = mutated(exampleAnswers, below);
    assert.deepEqual(tryAnswer(text).problems, [], `SEED=${seed}, case ${count}: ${JSON.stringify(text)}`);
  }
});

test("takes no more profiles and presets than a device can have", () => {
  const many = (count: number, of: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => of(index)).join("");
  const size = "<Resolution><Width>640</Width><Height>360</Height></Resolution>";
  const profiles = many(
    100,
    (index) =>
      `<Profiles token="p${index}"><VideoEncoderConfiguration>${size}</VideoEncoderConfiguration></Profiles>`,
  );
  assert.equal(readProfiles(body(`<R>${profiles}</R>`)).length, answerLimits.profiles);
  const presets = many(1000, (index) => `<Preset token="p${index}"/><Preset token="${"x".repeat(65)}"/>`);
  assert.equal(readPresets(body(`<R>${presets}</R>`)).length, answerLimits.presets);
});

test("keeps the detectors of a camera apart, and hears nothing else", () => {
  const said = (topic: string, source: string, value: string, operation = "Changed"): string =>
    `<NotificationMessage><Topic>${topic}</Topic><Message><Message PropertyOperation="${operation}"><Source>` +
    `<SimpleItem Name="S" Value="${source}"/></Source><Data><SimpleItem Name="State" Value="${value}"/></Data>` +
    `</Message></Message></NotificationMessage>`;
  const cell = "tns1:RuleEngine/CellMotionDetector/Motion";
  const all = [
    said(cell, "v0", "true"),
    said(cell, "v1", "1"),
    said("tns1:VideoSource/MotionAlarm", "v0", "false"),
    said(cell, "v0", "true", "Deleted"),
    said("tns1:Device/Trigger/DigitalInput", "v0", "true"),
    said(cell, "v0", "perhaps"),
  ];
  assert.deepEqual(
    readMotion(body(`<R>${all.join("")}</R>`)).map(({ source, isMoving }) => [
      source.split("/").at(-1),
      isMoving,
    ]),
    [
      ["Motion v0", true],
      ["Motion v1", true],
      ["MotionAlarm v0", false],
      ["Motion v0", false],
    ],
  );
});

test("a stream is at the camera's own address, and shows no login", () => {
  const uri = (text: string): string | undefined => streamUri(text, "192.168.1.20", "secret");
  assert.equal(uri("rtsp://u:secret@10.9.9.9:554/a?b=c"), "rtsp://192.168.1.20:554/a?b=c");
  assert.equal(uri("rtsp://camera.local/a"), "rtsp://192.168.1.20/a");
  for (const text of [
    "rtsp://192.168.1.20/user=admin&password=secret",
    "rtsp://192.168.1.20/a?p=%73ecret",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "/a",
    `rtsp://192.168.1.20/${"x".repeat(300)}`,
  ])
    assert.equal(uri(text), undefined, text);
});
