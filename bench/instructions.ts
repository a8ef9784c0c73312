// What the guest counts, as figures: against the baseline, against each other.
import type { Figure } from "./figure.ts";
import { otherTool, readBaseline, tolerance, writeBaseline } from "./gate/baseline.ts";
import { countInstructions } from "./gate/counts.ts";
import { qemuVersion } from "./gate/guest.ts";

const how =
  "aarch64 under qemu-user, node --predictable, the middle (of requests and in the cloud the least) of 11 windows";

export async function instructionFigures(): Promise<readonly Figure[]> {
  if (qemuVersion() === undefined) {
    process.stderr.write("left out: instructions, which need qemu-user: apt-get install qemu-user gcc\n");
    return [];
  }
  const counted = await countInstructions();
  const { instructions } = counted;
  const other = otherTool(counted, readBaseline());
  if (other !== undefined) process.stderr.write(`not compared: ${other}\n`);
  const baseline = other === undefined ? readBaseline().instructions : {};
  const counts = Object.entries(instructions).map(([name, value]): Figure => {
    const before = baseline[name];
    const limit = before === undefined ? null : (`<= ${Math.floor(before * (1 + tolerance))}` as const);
    return { name: `instructions ${name}`, value, unit: "insn", limit, gated: true, how };
  });
  const of = (name: string): number => instructions[name] ?? NaN;
  return [
    ...counts,
    {
      name: "instructions of a poll, growth from 1000 to 100000 objects",
      value: of("poll 10 of 100000") / of("poll 10 of 1000"),
      unit: "x",
      limit: "<= 1.05",
      gated: true,
      how,
    },
    {
      name: "instructions of a command of Graph per bare submission",
      value: of("role by Graph") / of("role by submit"),
      unit: "x",
      limit: "<= 1.5",
      gated: true,
      how: `a change of a role in a cloud in memory: envelope, trace, fields and rights checked; ${how}`,
    },
    {
      name: "instructions of an idle poll over HTTP per static answer",
      value: of("request, idle poll") / of("request, static"),
      unit: "x",
      limit: "<= 1.25",
      gated: true,
      how: `Hono, host and token checked, against node:http with the same head and body known beforehand; ${how}`,
    },
    {
      name: "instructions of an idle poll over HTTP per bare static answer",
      value: of("request, idle poll") / of("request, bare static"),
      unit: "x",
      limit: null,
      gated: false,
      how: `as above, without the four headers for browsers in the static answer; ${how}`,
    },
  ];
}

export async function rebaseline(): Promise<void> {
  writeBaseline(await countInstructions());
}
