// Loaded before every test: loads libraries of hundreds of files from one file each, which takes a tenth of the time.
// scripts/bundle-libraries.ts makes these files; without them, a test loads the packages as they are installed.
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

/** The variable that names the folder of the files. */
export const librariesVariable = "LEDGE_TEST_LIBRARIES";

/**
 * What tests import of each library, by the folder of a package that depends on it. The imports of one entry share
 * their classes, so that a library and what extends it stand together.
 */
export const libraries: readonly Readonly<Record<string, readonly string[]>>[] = [
  { "packages/model": ["typebox", "typebox/compile", "typebox/error", "typebox/value"] },
  {
    "packages/adapters/zwave": [
      "zwave-js",
      "zwave-js/Testing",
      "zwave-js/Utils",
      "@zwave-js/cc",
      "@zwave-js/config",
      "@zwave-js/core",
      "@zwave-js/core/bindings/db/jsonl",
      "@zwave-js/serial",
      "@zwave-js/serial/bindings/node",
      "@zwave-js/serial/mock",
      "@zwave-js/serial/serialapi",
    ],
    "packages/testkit": ["@zwave-js/nvmedit", "@zwave-js/shared", "@zwave-js/testing"],
  },
];

/** Returns the file of an import in the folder. */
export function libraryFile(name: string): string {
  return `${name.replaceAll("/", "-")}.mjs`;
}

const folder = process.env[librariesVariable];

if (folder !== undefined) {
  const root = pathToFileURL(`${folder}/`);
  const places = new Map(
    libraries
      .flatMap((library) => Object.values(library).flat())
      .map((name) => [name, new URL(libraryFile(name), root).href] as const),
  );
  registerHooks({
    resolve(specifier, context, next) {
      const url = places.get(specifier);
      return url === undefined ? next(specifier, context) : { url, format: "module", shortCircuit: true };
    },
  });
}
