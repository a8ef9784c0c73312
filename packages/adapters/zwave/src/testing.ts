/** What generated pages and long runs need of the adapter; not for the product. */
export { FuzzedNetwork } from "./test-fuzz.ts";
export { filesTable, parametersOfFiles } from "./test-files.ts";
export { valuesTable } from "./test-values.ts";
export { withTables } from "./test-page.ts";
