import { runAdapter } from "@ledge/port";
import { adapterModules } from "./registry.ts";

const protocol = process.argv[2] ?? "";
const load = Object.hasOwn(adapterModules, protocol) ? adapterModules[protocol] : undefined;
if (!load) throw new Error(`no adapter for ${protocol}`);
const { createAdapter } = await load();
runAdapter(createAdapter);
