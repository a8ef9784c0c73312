import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { nameOfAttribute, textOf } from "../../format.ts";
import { Button } from "../../parts/button.tsx";
import { Cause } from "../../parts/cause.tsx";
import { DeviceControls, hasControls } from "../../parts/device-controls.tsx";
import { DeviceEdit } from "../../parts/device-edit.tsx";
import { Empty, Loading } from "../../parts/faces.tsx";
import { Favourite } from "../../parts/favourite.tsx";
import { Icon } from "../../parts/icon.tsx";
import { PutBack } from "../../parts/put-back.tsx";
import { Since } from "../../parts/since.tsx";
import { WhySheet } from "../../parts/why.tsx";
import { hrefOf, route } from "../../route.ts";
import { pastTime } from "../../store/clock.ts";
import { request } from "../../store/commands.ts";
import { failureOf } from "../../store/failures.ts";
import { failures, home, sync, wanted } from "../../store/home.ts";
import { isAtLeast, mayUse } from "../../store/roles.ts";
import type { Device } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";
import { shownAttributes } from "./attributes.ts";
import { CameraLogin } from "./camera-login.tsx";
import { Extras } from "./extras.tsx";
import { Firmware } from "./firmware.tsx";
import { Past } from "./past.tsx";
import { Radio } from "./radio.tsx";
import { Removal } from "./removal.tsx";
import { Settings } from "../../parts/settings-form.tsx";
import { Trend } from "./trend-chart.tsx";
import { UsedBy } from "./used-by.tsx";

/** Whether the user asks why, looks back, and edits names and rooms. */
function mayEdit(): boolean {
  return isAtLeast("IDENTIFIED_USER");
}

/** Why the last command for an attribute failed; nothing if it did not. */
function FailedCommand({ message }: { readonly message: string }): JSX.Element | null {
  if (message === "") return null;
  return <dd class="problem">{t("command.failed", { message })}</dd>;
}

function Values({ device }: { readonly device: Device }): JSX.Element {
  const asked = useSignal<string | undefined>(undefined);
  const told = wanted.of(device.id).value;
  const state = { ...device.state, ...told };
  const shown = shownAttributes(device);
  const failed = failures.of(device.id).value;
  const reason = (attribute: string): string =>
    pastTime.value === null ? failureOf(failed, device.state, attribute) : "";
  const unshown = Object.keys(failed).filter((name) => !shown.includes(name) && reason(name) !== "");
  const textNow = (attribute: string): string => textOf(device, attribute, state[attribute]);
  const question = (attribute: string): string =>
    t("why.label", { attribute: nameOfAttribute(device, attribute), value: textNow(attribute) });
  return (
    <section class="card" aria-labelledby="state-title">
      <h2 id="state-title">{t("device.state")}</h2>
      <dl class="values">
        {shown.map((attribute) => (
          <div key={attribute} class={Object.hasOwn(told, attribute) ? "pending" : undefined}>
            <dt>{nameOfAttribute(device, attribute)}</dt>
            <dd>{textNow(attribute)}</dd>
            <FailedCommand message={reason(attribute)} />
            {mayEdit() && (
              <dd>
                <button
                  type="button"
                  class="button quiet"
                  aria-label={question(attribute)}
                  onClick={() => (asked.value = attribute)}
                >
                  {t("why")}
                </button>
              </dd>
            )}
          </div>
        ))}
        {unshown.map((attribute) => (
          <div key={attribute}>
            <dt>{nameOfAttribute(device, attribute)}</dt>
            <FailedCommand message={reason(attribute)} />
          </div>
        ))}
      </dl>
      {asked.value !== undefined && (
        <WhySheet
          id={device.id}
          attribute={asked.value}
          title={question(asked.value)}
          close={() => (asked.value = undefined)}
        />
      )}
    </section>
  );
}

function Controls({ device }: { readonly device: Device }): JSX.Element | null {
  if (!hasControls(device)) return null;
  return (
    <section class="card" aria-labelledby="controls-title">
      <h2 id="controls-title">{t("device.controls")}</h2>
      <DeviceControls device={device} />
      <Cause device={device} isFollowed />
    </section>
  );
}

function About({ device }: { readonly device: Device }): JSX.Element {
  const { id, name, manufacturer, model, state, capabilities } = device;
  const { lastSeen } = state;
  const isPast = pastTime.value !== null;
  const isBlocked = isPast || sync.connection.value !== "live";
  const canIdentify = capabilities.values.includes("IDENTIFY");
  return (
    <section class="card" aria-labelledby="about-title">
      <h2 id="about-title">{t("device.about")}</h2>
      {mayEdit() &&
        (isPast ? (
          <PutBack kind="device" id={id} name={name} label="past.putNames" />
        ) : (
          <DeviceEdit device={device} />
        ))}
      <dl class="facts">
        <dt>{t("device.maker")}</dt>
        <dd>{manufacturer ?? t("value.unknown")}</dd>
        <dt>{t("device.model")}</dt>
        <dd>{model ?? t("value.unknown")}</dd>
        <dt>{t("device.seen")}</dt>
        <dd>{typeof lastSeen === "number" ? <Since at={lastSeen} /> : t("value.unknown")}</dd>
      </dl>
      {mayUse() && (
        <div class="row">
          {canIdentify && (
            <Button
              isBlocked={isBlocked}
              onClick={() => void request("CMD_IDENTIFY", id, t("device.identifying", { name }))}
            >
              {t("device.identify")}
            </Button>
          )}
          <Button
            isBlocked={isBlocked}
            onClick={() => void request("CMD_REFRESH_DEVICE", id, t("device.refreshed", { name }))}
          >
            {t("device.refresh")}
          </Button>
        </div>
      )}
    </section>
  );
}

/** The hub tells the settings of now alone; those of then it can put back. */
function SettingsOf({ device: { id, name } }: { readonly device: Device }): JSX.Element {
  if (pastTime.value === null) return <Settings id={id} />;
  return (
    <section class="card">
      <PutBack kind="configuration" id={id} name={name} label="past.putSettings" />
    </section>
  );
}

/** One device: its state and why it is so, its controls, settings and facts. */
export function DeviceScreen(): JSX.Element {
  const device = home.of.devices.of(route.value.id ?? "").value;
  if (device === undefined) {
    if (!home.isTold.value) return <Loading />;
    return (
      <>
        <h1 tabIndex={-1}>{t("nav.devices")}</h1>
        <Empty title={t("device.gone")} />
      </>
    );
  }
  const has = (capability: string): boolean => device.capabilities.values.includes(capability);
  const isNow = pastTime.value === null;
  return (
    <article key={device.id}>
      <a class="back" href={hrefOf("devices")}>
        <Icon name="back" />
        {t("nav.devices")}
      </a>
      <h1 tabIndex={-1}>{device.name}</h1>
      <Favourite id={device.id} name={device.name} />
      <Controls device={device} />
      <Values device={device} />
      <Extras device={device} />
      {mayEdit() && <Trend device={device} />}
      {has("CONFIGURABLE") && isAtLeast("USER_ADMIN") && <SettingsOf device={device} />}
      {device.type === "CAMERA" && isAtLeast("USER_ADMIN") && isNow && <CameraLogin device={device} />}
      {has("UPGRADE") && isNow && <Firmware device={device} />}
      {mayEdit() && <UsedBy id={device.id} />}
      {mayEdit() && <Past device={device} />}
      {isAtLeast("USER_ADMIN") && isNow && <Radio id={device.id} />}
      <About device={device} />
      {isAtLeast("USER_ADMIN") && isNow && <Removal device={device} />}
    </article>
  );
}
