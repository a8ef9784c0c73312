import type { JSX } from "preact";
import { type Control, type Controlled, mainControl, valueIn, valuesFor } from "../controls/registry.ts";
import { nameOfAttribute, textOf } from "../format.ts";
import { hrefOf } from "../route.ts";
import { tellGroup } from "../store/commands.ts";
import { home, wanted } from "../store/home.ts";
import { isAtLeast, mayUse } from "../store/roles.ts";
import { t } from "../texts/texts.ts";
import { groupControls, sharedBy } from "./group-controls.tsx";
import { MoreControls } from "./more-controls.tsx";
import { reasonToWait } from "./reason-to-wait.ts";
import { switchButton } from "./switch-button.tsx";

/** Returns how many of some devices a switch shows as on, and whether any has yet to report what it was told. */
function shownOf(
  members: readonly string[],
  control: Control,
): { readonly on: number; readonly isPending: boolean } {
  const told = members.map((id) => wanted.of(id).value);
  const states = members.map((id, at) => ({ ...home.of.devices.of(id).value?.state, ...told[at] }));
  return {
    on: states.filter((state) => valueIn(state, control) === true).length,
    isPending: told.some((values) => Object.hasOwn(values, control.attribute)),
  };
}

/** How many members of a group are on, and a switch for all of them. */
function GroupTile({ id }: { readonly id: string }): JSX.Element | null {
  const group = home.of.groups.of(id).value;
  const members = group?.members.filter((member) => home.of.devices.of(member).value !== undefined) ?? [];
  if (group === undefined || members.length === 0) return null;
  const { name } = group;
  const of = sharedBy(members);
  const control = mainControl(of);
  const { on, isPending } = control === undefined ? { on: 0, isPending: false } : shownOf(members, control);
  const words = (
    <>
      <span class="tile-name">{name}</span>
      <span class="muted">
        {control === undefined
          ? t("rooms.count", { n: members.length })
          : onText(of, control, on, members.length)}
      </span>
    </>
  );
  return (
    <li class={on > 0 ? "tile lit" : "tile"} data-group={id}>
      {isAtLeast("IDENTIFIED_USER") ? (
        <a href={hrefOf("group", id)}>{words}</a>
      ) : (
        <div class="tile-words">{words}</div>
      )}
      {mayUse() && groupControls(of).length > (control === undefined ? 0 : 1) && (
        <MoreControls kind="group" id={id} name={name} />
      )}
      {mayUse() &&
        control !== undefined &&
        switchButton({
          label: `${name}: ${nameOfAttribute(of, control.part ?? control.attribute)}`,
          isOn: on > 0,
          isPending,
          blocked: reasonToWait(),
          flip: () => void tellGroup(id, members, valuesFor(control, on === 0)),
        })}
    </li>
  );
}

function onText(of: Controlled, { attribute, part }: Control, on: number, all: number): string {
  if (on > 0 && on < all) return t("group.on", { n: on, all });
  return textOf(of, part ?? attribute, on > 0);
}

/** The groups of the home; nothing without one. */
export function GroupTiles(): JSX.Element | null {
  const ids = home.of.groups.ids.value;
  if (ids.length === 0) return null;
  return (
    <section aria-labelledby="home-groups">
      <h2 id="home-groups">{t("groups.title")}</h2>
      <ul class="tiles">
        {ids.map((id) => (
          <GroupTile key={id} id={id} />
        ))}
      </ul>
    </section>
  );
}
