#!/usr/bin/env node
import { data, run, withDefaults } from "./start.mjs";

const options = process.argv.slice(2);
await run(
  "ledge.mjs",
  options.length === 0
    ? []
    : [...options, ...withDefaults(options, { "--data": data }).slice(0, -options.length)],
);
