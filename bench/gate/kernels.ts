// Runs under the counting plugin, bundled into one file: one hot path, warm, with a mark before and after each
// window of turns.
//
//   node kernels.mjs NAME OBJECTS
import { openHome, report } from "../home.ts";
import { warmTurns, windows, windowTurns } from "./windows.ts";

const [name = "", objects = "1000"] = process.argv.slice(2);
const home = await openHome(Number(objects));
const touched = [...home.kernel.all("device")][0]?.[0] ?? "";

const kernels: Readonly<Record<string, (turn: number) => unknown>> = {
  idle: () => home.poll(home.cursors.get(0) ?? 0),
  poll: () => home.poll(home.cursors.get(10) ?? 0),
  touch: (turn) => home.kernel.touch("device", touched, 1_800_000_000_000 + turn),
  commit: (turn) => {
    home.clock.advance(1);
    const reports = Array.from({ length: 10 }, (_, index) => report((turn * 10 + index) % 1000, turn));
    return home.submit(reports, { origin: "device" });
  },
};
const kernel = kernels[name];
if (kernel === undefined) throw new Error(`no kernel is called ${name}`);

let turn = 0;
// What is short takes more turns until the compiler thinks it worth its while.
await run(kernel, name === "idle" || name === "touch" ? 10 * warmTurns : warmTurns);
process.geteuid?.();
for (let window = 0; window < windows; window++) {
  await run(kernel, windowTurns);
  process.geteuid?.();
}
process.exit(0);

async function run(of: (turn: number) => unknown, turns: number): Promise<void> {
  for (const end = turn + turns; turn < end; turn++) {
    const answer = of(turn);
    if (answer instanceof Promise) await answer;
  }
}
