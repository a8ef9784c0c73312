import { useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { hrefOf } from "../route.ts";
import { home } from "../store/home.ts";
import { isAtLeast, mayUse } from "../store/roles.ts";
import { t } from "../texts/texts.ts";
import { nameOfTarget } from "./device-picker.tsx";
import { groupControls, GroupControls, sharedBy } from "./group-controls.tsx";
import { reasonToWait } from "./reason-to-wait.ts";
import { Sheet } from "./sheet.tsx";

/** All controls of a group, its members, and the way to its page. */
export function GroupSheet({
  id,
  close,
}: {
  readonly id: string;
  readonly close: () => void;
}): JSX.Element | null {
  const group = home.of.groups.of(id).value;
  useSignalEffect(() => {
    if (home.of.groups.of(id).value === undefined) close();
  });
  if (group === undefined) return null;
  const { name, members } = group;
  const isControlled = mayUse() && groupControls(sharedBy(members)).length > 0;
  return (
    <Sheet title={name} close={close}>
      <p class="muted">{members.map(nameOfTarget).join(", ")}</p>
      {isControlled && <GroupControls group={group} />}
      {isControlled && <p role="status">{reasonToWait()}</p>}
      {isAtLeast("IDENTIFIED_USER") && (
        <a class="button" href={hrefOf("group", id)} onClick={close}>
          {t("home.open", { name })}
        </a>
      )}
    </Sheet>
  );
}
