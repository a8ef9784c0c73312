// The parts list of a release, made while it is bundled: each package whose code or data is in it.
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";

/** A package of npm that is in the release, or one of Debian that is in an image. */
export interface Component {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression, as the package states it. */
  readonly license: string;
  /** Package URL; by default that of npm. */
  readonly purl?: string;
  /** Debian's names of licences, in place of an expression. */
  readonly debianLicences?: readonly string[];
}

/** Licences of packages whose manifest states none, or none of SPDX, by the texts that come with them. */
const inTheirFiles: Readonly<Record<string, string>> = {
  "nrf-intel-hex": "BSD-3-Clause",
  suncalc: "BSD-2-Clause",
};

/**
 * Returns the packages that files belong to, in order of their names and versions. Files of the workspace itself belong to
 * none: our own packages are not parts but the product.
 * @throws Error when a package does not say its licence
 */
export function componentsOf(files: Iterable<string>): readonly Component[] {
  const folders = new Set<string>();
  for (const file of files) {
    const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(realpathSync(file))?.[0];
    if (folder !== undefined) folders.add(folder);
  }
  const found = new Map<string, Component>();
  for (const folder of folders) {
    const component = componentIn(folder);
    found.set(`${component.name}@${component.version}`, component);
  }
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, component]) => component);
}

function componentIn(folder: string): Component {
  const { name, version, license } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  ) as Component & { readonly license?: string };
  const stated = inTheirFiles[name] ?? license;
  if (stated === undefined) throw new Error(`${name}@${version} does not say its licence`);
  return { name, version, license: stated };
}

const url = ({ name, version, purl }: Component): string =>
  purl ?? `pkg:npm/${name.replace("@", "%40")}@${version.replace("+", "%2B")}`;

/**
 * Returns the parts list in CycloneDX 1.6 (ECMA-424), as JSON. It has no time and no random id, so that the same
 * release has the same list.
 */
export function cycloneDx(version: string, components: readonly Component[]): string {
  const product = { type: "application", name: "ledge", version, "bom-ref": "ledge" };
  const parts = components.map((component) => ({
    type: "library",
    "bom-ref": url(component),
    name: component.name,
    version: component.version,
    licenses: licensesOf(component),
    purl: url(component),
  }));
  const dependencies = [{ ref: "ledge", dependsOn: parts.map((part) => part.purl) }];
  const head = { bomFormat: "CycloneDX", specVersion: "1.6", version: 1, metadata: { component: product } };
  return `${JSON.stringify({ ...head, components: parts, dependencies }, null, 2)}\n`;
}

function licensesOf({ license, debianLicences }: Component): readonly object[] {
  if (debianLicences !== undefined) return debianLicences.map((name) => ({ license: { name } }));
  return /[ (]/.test(license) ? [{ expression: license }] : [{ license: { id: license } }];
}

/** Returns the parts list in SPDX 2.3 (ISO/IEC 5962), as JSON. */
export function spdx(version: string, components: readonly Component[], created: Date): string {
  const packageOf = (component: Component, id: string, purl?: string): object => ({
    SPDXID: id,
    name: component.name,
    versionInfo: component.version,
    downloadLocation: "NOASSERTION",
    filesAnalyzed: false,
    licenseConcluded: "NOASSERTION",
    licenseDeclared: component.license,
    copyrightText: "NOASSERTION",
    ...(component.debianLicences !== undefined && {
      licenseComments: `Debian's copyright file: ${component.debianLicences.join(", ")}`,
    }),
    ...(purl !== undefined && {
      externalRefs: [{ referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator: purl }],
    }),
  });
  const idOf = ({ name, version: of }: Component): string =>
    `SPDXRef-${`${name}-${of}`.replaceAll(/[^A-Za-z0-9.-]+/g, "-").replace(/^-/, "")}`;
  const product = { name: "ledge", version, license: "Apache-2.0" };
  const relation = (from: string, relationshipType: string, to: string): object => ({
    spdxElementId: from,
    relationshipType,
    relatedSpdxElement: to,
  });
  const list = {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name: `ledge-${version}`,
    documentNamespace: `https://spdx.org/spdxdocs/ledge-${version}`,
    creationInfo: {
      created: created.toISOString().replace(/\.\d+Z$/, "Z"),
      creators: ["Tool: ledge-bundle"],
    },
    packages: [
      packageOf(product, "SPDXRef-ledge"),
      ...components.map((component) => packageOf(component, idOf(component), url(component))),
    ],
    relationships: [
      relation("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-ledge"),
      ...components.map((component) => relation("SPDXRef-ledge", "CONTAINS", idOf(component))),
    ],
  };
  return `${JSON.stringify(list, null, 2)}\n`;
}
