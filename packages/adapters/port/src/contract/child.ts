import type { Adapter } from "../adapter.ts";
import { runAdapter } from "../process.ts";
import { flooding } from "./flood.ts";

const [, , address, mode] = process.argv;
if (address === undefined) throw new Error("usage: child.ts <adapter module> [flood]");
const { createAdapter } = (await import(address)) as { createAdapter: () => Adapter };
runAdapter(mode === "flood" ? flooding(createAdapter) : createAdapter);
