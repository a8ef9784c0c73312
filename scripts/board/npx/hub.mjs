#!/usr/bin/env node
import { data, profile, run, withDefaults } from "./start.mjs";

const generic = profile(process.arch === "arm64" ? "generic-arm64" : "generic-x86-64");
const options = process.argv.slice(2);
await run("hub.mjs", withDefaults(options, { "--supervised": "exit", "--profile": generic, "--data": data }));
