import Type from "typebox";
import { type Operation, operationStates } from "../model/operation.ts";
import { pageFields, pageOf } from "./cursors.ts";
import { Failed } from "./errors.ts";
import { GraphOperation, operationObject } from "./operation-object.ts";
import { row } from "./row.ts";
import { mayRead } from "./targets.ts";

/** Types about operations: for those who started them, and for who administers what they are about. */
export const operationRows = [
  row({
    type: "GetOperationQuery",
    summary: "Returns an operation",
    scope: "operation",
    right: "R",
    result: { operation: GraphOperation },
    handle: ({ target }) => ({ operation: operationObject(target) }),
  }),
  row({
    type: "ListOperationQuery",
    summary: "Lists operations, the oldest first",
    scope: "caller",
    right: "R",
    fields: { state: Type.Optional(Type.Enum([...operationStates])), ...pageFields },
    result: pageOf(GraphOperation),
    handle({ caller, fields, parts }) {
      const { cloud, cursors, operations } = parts;
      const { account } = caller;
      const found = new Map<string, Operation>();
      const ids = [...cloud.directory.hubsOf(account), ...cloud.tenancy.subscriptionIdsOf(account)];
      const about = ids.flatMap((id) => operations.index.aboutTarget(id));
      for (const operation of [...operations.index.ofOwner(account), ...about]) {
        const isWanted = fields.state === undefined || operation.state === fields.state;
        if (isWanted && mayRead(operation, caller, cloud)) found.set(operation.id, operation);
      }
      const page = cursors.page(
        {
          name: `operations ${fields.state ?? ""}`,
          items: found.values(),
          placeOf: ({ createdAt, id }) => ({ value: String(createdAt).padStart(timeChars, "0"), id }),
        },
        fields,
      );
      return page instanceof Failed ? page : { data: page.data.map(operationObject), links: page.links };
    },
  }),
  row({
    type: "CancelOperationCommand",
    summary: "Cancels an operation; what it has done stays",
    scope: "operation",
    right: "R",
    result: { operation: GraphOperation },
    async handle({ caller, target: { id }, parts: { operations, cloud } }) {
      const failed = await operations.cancel(id, caller.account);
      if (failed !== undefined) return failed;
      const operation = cloud.kernel.get("operation", id);
      return operation ? { operation: operationObject(operation) } : new Failed("E_NOT_FOUND", "it is gone");
    },
  }),
];

/** Digits of any time (ms since the epoch), so that texts of times are in the order of the times. */
const timeChars = 16;
