/** What generated pages need of the adapter; not for the product. */
export { filesTable, parametersOfFiles } from "./test-files.ts";
export { valuesTable } from "./test-values.ts";
export { withTables } from "./test-page.ts";
