#!/usr/bin/env node
import { data, run } from "./start.mjs";

const options = process.argv.slice(2);
const isNamed = options.some((option) => option === "--data" || option.startsWith("--data="));
await run("ledge.mjs", options.length === 0 || isNamed ? options : [...options, "--data", data]);
