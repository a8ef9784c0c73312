// Mutated lines of gateways and receivers, and what must hold of whatever they are read as.
import { attribute, capabilities, extrasProblem, isExtra, limits } from "@ledge/model";
import { Check } from "typebox/value";
import { codedFrom, descriptionOf, heardBy } from "./device.ts";
import { likelyKind } from "./kinds.ts";
import { readRflink, writeRflink } from "./rflink.ts";
import { readRtl433 } from "./rtl433.ts";
import type { Signal } from "./signal.ts";

const examples: readonly string[] = [
  "20;06;NewKaku;ID=008440e6;SWITCH=a;CMD=OFF;",
  "20;04;NewKaku;ID=000007;SWITCH=2;CMD=SET_LEVEL=14;",
  "20;E0;NewKaku;ID=cac142;SWITCH=1;CMD=ALLOFF;",
  "20;2D;UPM/Esic;ID=0001;TEMP=80cf;HUM=16;BAT=OK;",
  "20;47;Cresta;ID=8001;WINDIR=0002;WINSP=0060;WINGS=0088;WINCHL=b0;",
  "20;e5;Oregon BTHR;ID=5a6d;TEMP=00be;HUM=40;BARO=03d7;BAT=OK;",
  "20;08;SilvercrestDB;ID=04d6bb97;SWITCH=1;CMD=ON;CHIME=01;",
  "20;00;Nodo RadioFrequencyLink - RFLink Gateway V1.1 - R46;",
  '{"time":"2026-01-01 00:00:00","model":"Nexus-TH","id":90,"channel":1,"battery_ok":1,"temperature_C":21.5,"humidity":45}',
  '{"model":"Proove-Security","id":1,"channel":3,"state":"ON","unit":3,"group":0}',
  '{"model":"Honeywell-Security","id":7,"event":128,"reed_open":1,"tamper":0,"battery_ok":0.4}',
  '{"model":"Fineoffset-WH65B","id":12,"wind_dir_deg":120,"wind_avg_m_s":2.1,"rain_mm":12.4,"uvi":3,"light_lux":5}',
];
const words = [
  "",
  "ID=",
  "=",
  ";",
  "__proto__",
  "constructor",
  "-1",
  "1e309",
  "ffffffff",
  "null",
  "[]",
  "\\u0000",
  "ALLON",
  "\u00e9",
];

/** Returns a line with one to three changes. @param below a random whole number from 0 to one less than its argument */
export function mutatedLine(below: (count: number) => number): string {
  const any = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  let line = any(examples);
  for (let changes = 1 + below(3); changes > 0; changes -= 1) {
    const at = below(line.length + 1);
    const to = at + below(6);
    const insert = [
      any(words),
      String.fromCodePoint(below(256)),
      any(examples).slice(below(40)),
      line.slice(at, to),
    ];
    line = line.slice(0, at) + any(insert) + line.slice(below(2) === 0 ? at : to);
  }
  return line;
}

/** Reads a line both ways, makes a device of it, and returns what is wrong with that. */
export function tryLine(line: string): { readonly outcome: string; readonly problems: readonly string[] } {
  const read = readRflink(line);
  const signal = read?.type === "signal" ? read.signal : readRtl433(line);
  if (signal === undefined) return { outcome: read?.type ?? "none", problems: [] };
  return { outcome: "signal", problems: [true, false].flatMap((canSend) => problemsOf(signal, canSend)) };
}

function problemsOf(signal: Signal, canSend: boolean): readonly string[] {
  const kind = likelyKind(signal, canSend);
  if (kind === undefined) return [];
  const heard = heardBy(codedFrom(signal, kind), signal);
  if (heard === undefined) return ["a device does not hear its own code"];
  const described = descriptionOf("hall", heard.device);
  const { native, name, stateExtras = [], capabilities: can } = described;
  const problems: string[] = [];
  if (!/^hall\/[\w.-]+$/.test(native)) problems.push(`the native id is ${native}`);
  if (name.length > limits.nameChars) problems.push(`the name has ${name.length} characters`);
  if (extrasProblem(stateExtras) !== undefined) problems.push(extrasProblem(stateExtras) ?? "");
  for (const each of can) if (!capabilities.includes(each)) problems.push(`unknown capability ${each}`);
  for (const [attributeName, value] of Object.entries(heard.values)) {
    const schema = attribute(attributeName)?.value;
    if (isExtra(attributeName) ? !Number.isFinite(value) : schema === undefined || !Check(schema, value))
      problems.push(`${attributeName} is ${String(value)}`);
  }
  const { protocol, address, unit = "0" } = heard.device;
  const line = writeRflink({ protocol, address, unit, order: "on" });
  if (!/^10;[^;\r\n]+;[^;\r\n]+;[^;\r\n]*;ON;$/.test(line)) problems.push(`the gateway is sent ${line}`);
  return problems;
}
