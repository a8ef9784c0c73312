// Properties of the files themselves that no compiler holds: each rule is a pure function from a file to
// what is wrong with it, one line per finding. tidy.test.ts applies them to the tree.
import { posix } from "node:path";

export interface File {
  /** From the root of the checkout, with slashes. */
  readonly path: string;
  readonly text: string;
}

export type Rule = (file: File) => readonly string[];

const linesMax = 500;
const nameless = new Set(["manager", "helper", "helpers", "util", "utils", "misc", "service", "common"]);
const isCode = /\.(?:ts|mjs)$/;
const isLock = /(?:^|\/)(?:pnpm-lock\.yaml|package-lock\.json)$/;

/** These two spell out what the rules on words refuse. */
const isTidyItself = /^scripts\/tidy(?:\.test)?\.ts$/;

export const fileLength: Rule = ({ path, text }) => {
  const lines = text.split("\n").length - 1;
  return isCode.test(path) && lines > linesMax ? [`${path}: ${lines} lines, at most ${linesMax}`] : [];
};

/** A name has to say what a thing does; these say only that it does something. */
export const fileName: Rule = ({ path }) => {
  const stem = path.replace(/\.[a-z]+$/, "").replace(/([a-z])([A-Z])/g, "$1-$2");
  const words = stem.toLowerCase().split(/[^a-z0-9]+/);
  const found = words.filter((word) => nameless.has(word));
  return found.map((word) => `${path}: "${word}" says nothing`);
};

/** What composes a package stands at the top of its sources. Ours by folder, without the ends of their names. */
export const composing: Readonly<Record<string, readonly string[]>> = {
  "packages/hub/src": ["cli", "hub", "main", "profile", "run", "version"],
  "packages/cloud/src": ["cli", "cloud", "index", "main", "parts", "run", "settings", "version"],
  "packages/rules/src": ["engine", "index"],
};

/** Whoever opens a package finds what composes it, with its tests; all else has a folder that says what it is about. */
export const inItsRoom: Rule = ({ path }) => {
  const { dir, base } = posix.parse(path);
  const [stem = ""] = base.split(".");
  const isLoose = composing[dir]?.includes(stem) === false;
  return isLoose ? [`${path}: does not compose the package, so it belongs in a folder`] : [];
};

/** A test that is not run, or that keeps others from running. */
export const noSkippedTest: Rule = (file) =>
  isCode.test(file.path)
    ? matches(file, /\.(?:skip|only|todo)\b\s*[.(]|\b(?:skip|only|todo): (?:true|["'`])/g)
    : [];

export const noMarkers: Rule = (file) =>
  isLock.test(file.path) ? [] : matches(file, /\b(?:TODO|FIXME|XXX|HACK)\b/g);

/** Paths of the machine on which something was written; they hold nowhere else. */
export const noMachinePath: Rule = (file) =>
  matches(file, /(?<![\w.~-])\/(?:(?:home|Users)\/\w+|root|work|farm|builds|tmp\/bash_jobs)[\w.]*\//g);

/** Where packages come from is the business of who installs; a lock keeps to names and hashes. */
export const noRegistry: Rule = (file) => [
  ...matches(file, /\bregistry\.[\w-]+\.(?:org|com|net|io|dev)\b/g),
  ...(isLock.test(file.path) ? matches(file, /(?:\btarball|"resolved"): ?\S+/g) : []),
];

/** Contract suites and given/when/then assert on behalf of the file that calls them. */
export const assertsSomething: Rule = ({ path, text }) =>
  path.endsWith(".test.ts") && !/\bassert\b|[cC]ontract\w*\(|\bscenario\(|\.then\(/.test(text)
    ? [`${path}: asserts nothing`]
    : [];

/**
 * A link in a page that leads to no file.
 * @param exists whether a path from the root of the checkout is there
 */
export const linksTo =
  (exists: (path: string) => boolean): Rule =>
  ({ path, text }) => {
    if (!path.endsWith(".md")) return [];
    const prose = text.replace(/^(```|~~~)[^]*?^\1/gm, "").replace(/`[^`\n]*`/g, "");
    const targets = [...prose.matchAll(/\]\(<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]: (\S+)/gm)].map(
      ([, inline, reference]) => inline ?? reference ?? "",
    );
    return targets
      .filter((target) => !/^(?:[a-z]+:|#|\/\/)/.test(target))
      .filter((target) => !exists(posix.join(posix.dirname(path), target.replace(/[#?].*$/, ""))))
      .map((target) => `${path}: links to ${target}, which is not there`);
  };

/** A decision says where it stands, why, what, and what follows. */
export const decisionShape: Rule = ({ path, text }) => {
  const name = /^docs\/adr\/(.+)\.md$/.exec(path)?.[1];
  if (name === undefined || name === "README") return [];
  const missing = ["Status", "Context", "Decision", "Consequences"].filter(
    (part) => !new RegExp(`^(?:#+ |\\| *|[-*]* *)${part}\\b`, "m").test(text),
  );
  return [
    ...(/^\d{4}-[a-z0-9-]+$/.test(name) ? [] : [`${path}: is not named NNNN-title.md`]),
    ...missing.map((part) => `${path}: has no ${part}`),
  ];
};

/**
 * Whether an SPDX expression, or what stands in its place, leaves no choice but a licence of the GPL
 * family. A package under several may be taken under any one of them.
 */
export function isGpl(licence: string): boolean {
  return licence.split(/\bOR\b|\//).every((choice) => /GPL|GNU/i.test(choice));
}

function matches({ path, text }: File, pattern: RegExp): readonly string[] {
  if (isTidyItself.test(path)) return [];
  return [...text.matchAll(pattern)].map((match) => {
    const line = text.slice(0, match.index).split("\n").length;
    return `${path}:${line}: ${match[0]}`;
  });
}
