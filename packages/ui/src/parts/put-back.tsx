import type { JSX } from "preact";
import type { RestorableKind } from "@ledge/model";
import { undo } from "../api/rows.ts";
import { momentOf } from "../format.ts";
import { change } from "../store/commands.ts";
import { pastTime } from "../store/clock.ts";
import { notify } from "../store/notices.ts";
import { backToNow } from "../store/past.ts";
import { type Key, t } from "../texts/texts.ts";
import { patient } from "./answer.ts";

/**
 * While the page shows the past: puts the settings of an object back as they were then, and shows the present again.
 * @param name what the user calls it
 */
export function PutBack(props: {
  readonly kind: RestorableKind;
  readonly id: string;
  readonly name: string;
  readonly label: Key;
}): JSX.Element | null {
  const { kind, id, name, label } = props;
  const at = pastTime.value;
  if (at === null) return null;
  const putBack = async (): Promise<void> => {
    const answer = await patient(() => undo(kind, id, at), new AbortController().signal);
    if (answer.ok && !answer.value.changed) return notify(t("past.same", { name }));
    const done = t("past.putBack", { name, time: momentOf(at) });
    if (await change(Promise.resolve(answer), done, () => undo(kind, id))) backToNow();
  };
  return (
    <button type="button" class="button" onClick={() => void putBack()}>
      {t(label, { name })}
    </button>
  );
}
