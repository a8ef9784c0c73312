import { accountRows } from "./account-rows.ts";
import { apidoc } from "./graph-rows.ts";
import { hubRows } from "./hub-rows.ts";
import { loginRows } from "./login-rows.ts";
import type { Row } from "./row.ts";
import { sharingRows } from "./sharing-rows.ts";
import { root, type Site, sites } from "./sites.ts";

/** Every endpoint of a cloud, with its site. */
export const cloudRows: readonly { readonly row: Row; readonly site: Site }[] = [
  ...sites.flatMap((site) => [...loginRows, ...accountRows, ...sharingRows].map((row) => ({ row, site }))),
  ...[...hubRows, apidoc].map((row) => ({ row, site: root })),
];
