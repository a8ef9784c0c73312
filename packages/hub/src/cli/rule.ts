import { readFileSync, writeFileSync } from "node:fs";
import { parse } from "@ledge/host/cli/client";
import { terminalJson, terminalLine } from "@ledge/host/terminal";
import type { CliCommand, Invocation } from "@ledge/host/cli/command";
import { CliError, exitCodes, exactlyOne } from "@ledge/host/cli/command";
import { isRejection } from "@ledge/model";
import { tryCustomRule, withLine } from "@ledge/rules";
import { apiPrefix } from "../version.ts";

const path = `${apiPrefix}/rules/template`;

/** Checks the source of a custom rule, without a hub. */
export const ruleLint: CliCommand = {
  words: "rule lint",
  usage: "FILE",
  summary: "Says what is wrong with the source of a custom rule, with path and line; no hub is asked",
  standalone: true,
  check: exactlyOne("which file?"),
  async run(invocation) {
    const { name, source } = fileOf(invocation);
    const tried = tryCustomRule(source);
    if (isRejection(tried)) return wrong(invocation, name, withLine(tried, source));
    const { configType } = tried.template;
    if (invocation.json) invocation.print(JSON.stringify({ ok: true, configType }));
    else invocation.print(`${name}: ${configType} is a custom rule`);
    return exitCodes.done;
  },
};

/** Runs the tests in a source, without a hub. */
export const ruleTest: CliCommand = {
  words: "rule test",
  usage: "FILE",
  summary: "Runs the tests that stand in the source of a custom rule; no hub is asked",
  standalone: true,
  check: exactlyOne("which file?"),
  async run(invocation) {
    const { name, source } = fileOf(invocation);
    const tried = tryCustomRule(source);
    if (isRejection(tried)) return wrong(invocation, name, withLine(tried, source));
    const results = tried.results.map(({ name: test, problem }) => {
      const found = problem && withLine(problem, source);
      return { test, ok: found === undefined, ...(found && { field: found.field, message: found.message }) };
    });
    const isOk = results.every(({ ok }) => ok);
    if (invocation.json) invocation.print(JSON.stringify({ ok: isOk, results }));
    else {
      for (const { test, ok, field, message } of results)
        invocation.print(ok ? `ok      ${test}` : [`not ok  ${test}`, `        ${field}: ${message}`]);
      invocation.print(`${results.filter(({ ok }) => ok).length} of ${results.length} tests passed`);
    }
    return isOk ? exitCodes.done : exitCodes.unhealthy;
  },
};

/** Installs a source, or a new version of it. */
export const ruleInstall: CliCommand = {
  words: "rule install",
  usage: "FILE",
  summary: "Installs a custom rule, or its next version; it is tried on the last week first",
  check: exactlyOne("which file?"),
  async run(invocation) {
    const { name, source } = fileOf(invocation);
    const { status, text } = await invocation.console.text("POST", path, source);
    if (status !== 200) return wrong(invocation, name, parse(text) as Wrong);
    const { configType, version, dryRun } = parse(text) as Installed;
    if (invocation.json) invocation.print(text);
    else {
      invocation.print(`${configType} is installed, version ${version}`);
      invocation.print(dryRun === null ? "no devices to try it on" : triedText(dryRun));
    }
    return exitCodes.done;
  },
};

/** Prints or writes a source as it was installed. */
export const ruleExport: CliCommand = {
  words: "rule export",
  usage: "TYPE",
  summary: "Prints the source of an installed custom rule, byte for byte",
  options: { out: { type: "string", help: "the file to write it to" } },
  check: exactlyOne("which custom rule?"),
  async run(invocation) {
    const [type = ""] = invocation.positionals;
    const query = new URLSearchParams({ type }).toString();
    const { status, text } = await invocation.console.text("GET", `${path}?${query}`);
    if (status !== 200)
      throw new CliError(
        exitCodes.refused,
        (parse(text) as Wrong | undefined)?.message ?? `it answers ${status}`,
      );
    const { out } = invocation.options;
    if (typeof out === "string") writeFileSync(out, text);
    else process.stdout.write(process.stdout.isTTY ? terminalJson(text) : text);
    return exitCodes.done;
  },
};

interface Wrong {
  readonly message?: string;
  readonly field?: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
}

interface Tried {
  readonly from: number;
  readonly firings: number;
  readonly commandCount: number;
  readonly faults: readonly { readonly reason: string }[];
  readonly stopped: readonly object[];
}

interface Installed {
  readonly configType: string;
  readonly version: number;
  readonly dryRun: Tried | null;
}

function triedText({ from, firings, commandCount, faults, stopped }: Tried): string {
  const said = `since ${new Date(from).toISOString()} it would have acted ${firings} times, with ${commandCount} commands`;
  const wrongs = [
    ...faults.slice(0, 1).map(({ reason }) => `, and failed: ${reason}`),
    ...stopped.slice(0, 1).map(() => ", and been stopped"),
  ];
  return said + wrongs.join("");
}

function fileOf({ positionals: [name = ""] }: Invocation): {
  readonly name: string;
  readonly source: string;
} {
  try {
    const bytes = readFileSync(name);
    return { name, source: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch (error) {
    throw new CliError(exitCodes.usage, `${name}: ${(error as Error).message}`);
  }
}

function wrong(
  { json, print }: Invocation,
  name: string,
  { field = "", message = "", errors }: Wrong,
): number {
  const problems = errors !== undefined && errors.length > 0 ? errors : [{ field, message }];
  if (json) print(JSON.stringify({ ok: false, errors: problems }));
  else
    for (const one of problems)
      process.stderr.write(`${terminalLine(`${name}: ${one.field}${one.field && ": "}${one.message}`)}\n`);
  return exitCodes.refused;
}
