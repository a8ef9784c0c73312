// Rules about the files themselves that no compiler checks. Each rule is a pure function from a file to its
// findings, one line each. tidy.test.ts applies them to the tree.
import { posix } from "node:path";

export interface File {
  /** Relative to the root of the checkout, with slashes. */
  readonly path: string;
  readonly text: string;
}

export type Rule = (file: File) => readonly string[];

const linesMax = 500;
const nameless = new Set(["manager", "helper", "helpers", "util", "utils", "misc", "service", "common"]);
const isCode = /\.(?:tsx?|mjs)$/;
const isLock = /(?:^|\/)(?:pnpm-lock\.yaml|package-lock\.json)$/;

/** These two files contain the words that the rules refuse. */
const isTidyItself = /^scripts\/tidy(?:\.test)?\.ts$/;

export const fileLength: Rule = ({ path, text }) => {
  const lines = text.split("\n").length - 1;
  return isCode.test(path) && lines > linesMax ? [`${path}: ${lines} lines, at most ${linesMax}`] : [];
};

/** Words in names that say nothing about what a thing does. */
export const fileName: Rule = ({ path }) => {
  const stem = path.replace(/\.[a-z]+$/, "").replace(/([a-z])([A-Z])/g, "$1-$2");
  const words = stem.toLowerCase().split(/[^a-z0-9]+/);
  const found = words.filter((word) => nameless.has(word));
  return found.map((word) => `${path}: "${word}" says nothing`);
};

/** The files that compose a package, at the top of its sources. By folder, without extensions. */
export const composing: Readonly<Record<string, readonly string[]>> = {
  "packages/hub/src": ["cli", "hub", "main", "profile", "run", "version"],
  "packages/cloud/src": ["cli", "cloud", "index", "main", "parts", "platform", "run", "settings", "version"],
  "packages/rules/src": ["engine", "index"],
};

/**
 * A package's top folder holds only the files that compose it, with their tests. All others are in folders that
 * name their subject.
 */
export const inItsRoom: Rule = ({ path }) => {
  const { dir, base } = posix.parse(path);
  const [stem = ""] = base.split(".");
  const isLoose = composing[dir]?.includes(stem) === false;
  return isLoose ? [`${path}: does not compose the package, so it belongs in a folder`] : [];
};

/** Tests that do not run, or that keep others from running. */
export const noSkippedTest: Rule = (file) =>
  isCode.test(file.path)
    ? matches(file, /\.(?:skip|only|todo)\b\s*[.(]|\b(?:skip|only|todo): (?:true|["'`])/g)
    : [];

export const noMarkers: Rule = (file) =>
  isLock.test(file.path) ? [] : matches(file, /\b(?:TODO|FIXME|XXX|HACK)\b/g);

/** Paths of one particular machine. */
export const noMachinePath: Rule = (file) =>
  matches(file, /(?<![\w.~-])\/(?:(?:home|Users)\/\w+|root|work|farm|builds|tmp\/bash_jobs)[\w.]*\//g);

/** Registry addresses: these are the choice of the installing machine. A lock holds only names and hashes. */
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
 * Links in a page that lead to no file.
 * @param exists whether a path relative to the root of the checkout exists
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
      .map((target) => `${path}: links to ${target}, which does not exist`);
  };

/** The required parts of a decision. */
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
 * Whether an SPDX expression, or the text in its place, offers only licences of the GPL family. A package under
 * several licences can be used under any one of them.
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
