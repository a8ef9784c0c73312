/** What long runs and generated pages need of the map; not for the product. */
export { fuzzFrames } from "./test-fuzz.ts";
export { allMapped, exposesTable, withExposes } from "./test-page.ts";
