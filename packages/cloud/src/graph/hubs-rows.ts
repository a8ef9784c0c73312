import { pageFields, pageOf } from "./cursors.ts";
import { Failed } from "./errors.ts";
import { GraphHub, hubObject } from "./hub-object.ts";
import { row } from "./row.ts";
import { type HubTarget, hubTarget } from "./hub-target.ts";

/** Types about the hubs of the caller. */
export const hubsRows = [
  row({
    type: "ListHubsQuery",
    summary: "Lists the hubs that the caller may read, by id",
    scope: "caller",
    right: "R",
    fields: pageFields,
    result: pageOf(GraphHub),
    async handle({ caller, fields, parts }) {
      const { cloud, cursors } = parts;
      const hubs: HubTarget[] = [];
      for (const hubId of cloud.directory.hubsOf(caller.account)) {
        const target = hubTarget(hubId, "R", caller, cloud);
        if (!(target instanceof Failed)) hubs.push(target);
      }
      const page = cursors.page(
        { name: "hubs", items: hubs, placeOf: ({ hubId: id }) => ({ value: id, id }) },
        fields,
      );
      if (page instanceof Failed) return page;
      const data = await Promise.all(page.data.map((hub) => hubObject(hub, parts)));
      return { data, links: page.links };
    },
  }),
];
