import { type Signal, useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import { useEffect } from "preact/hooks";
import type { Failure } from "../../api/call.ts";
import { type BacnetObject, bacnetTypes, findBacnet, foundBacnet, pairBacnet } from "../../api/wired.ts";
import { pause } from "../../browser.ts";
import { useAnswer } from "../../parts/answer.ts";
import { LiveButton } from "../../parts/live-button.tsx";
import { Problem } from "../../parts/problem.tsx";
import { reasonOf } from "../../store/commands.ts";
import { sync } from "../../store/home.ts";
import { isKey, t } from "../../texts/texts.ts";
import { type BacnetDevice, capabilityKey, devicesOf, refusedBacnet } from "./bacnet.ts";
import { useNewcomers } from "./newcomers.ts";
import { Onward } from "./onward.tsx";

const everyMs = 1000;

type Found = Readonly<Record<string, BacnetObject>>;

function wordsOf(failure: Failure): string {
  const key = refusedBacnet(failure);
  return key === undefined ? reasonOf(failure) : t(key);
}

function capabilityText(capability: string): string {
  const key = capabilityKey(capability);
  return isKey(key) ? t(key) : capability;
}

/** Looks for devices as long as the view is there. */
function useFound(): { found: Signal<Found>; problem: Signal<string>; look: typeof findBacnet } {
  const found = useSignal<Found>({});
  const problem = useSignal("");
  const look: typeof findBacnet = async (only) => {
    const answer = await findBacnet(only);
    problem.value = answer.ok ? "" : wordsOf(answer);
    return answer;
  };
  useEffect(() => {
    const left = new AbortController();
    const follow = async (): Promise<void> => {
      await look({});
      let told = "";
      while (!left.signal.aborted) {
        const answer = await foundBacnet(left.signal);
        const next = answer.ok ? JSON.stringify(answer.value) : told;
        // Most answers bring nothing new, and a network has hundreds of objects to draw.
        if (answer.ok && next !== told && !left.signal.aborted) found.value = answer.value;
        told = next;
        await pause(everyMs, left.signal);
      }
    };
    void follow();
    return () => left.abort();
  }, []);
  return { found, problem, look };
}

/** For a device that no broadcast reaches. */
function LookAt({ look }: { readonly look: typeof findBacnet }): JSX.Element {
  const problem = useSignal("");
  const ask = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget);
    const [address, number] = ["address", "number"].map((name) => {
      const text = typed.get(name);
      return typeof text === "string" ? text.trim() : "";
    });
    if (!address && !number) return void (problem.value = t("login.missing"));
    const answer = await look({ ...(address && { address }), ...(number && { deviceId: Number(number) }) });
    problem.value = answer.ok ? "" : wordsOf(answer);
  };
  return (
    <details class="card">
      <summary>{t("bacnet.absent")}</summary>
      <form onSubmit={(event) => void ask(event)} noValidate>
        <p class="muted">{t("bacnet.absentHow")}</p>
        <label class="field">
          <span>{t("bacnet.address")}</span>
          <input type="text" name="address" autoComplete="off" maxLength={64} />
        </label>
        <label class="field">
          <span>{t("bacnet.number")}</span>
          <input type="number" name="number" min={0} max={4_194_302} />
        </label>
        <Problem>{problem.value}</Problem>
        <LiveButton>{t("bacnet.ask")}</LiveButton>
      </form>
    </details>
  );
}

/** An object of a device, and what of the home it becomes. */
function ObjectRow(props: {
  readonly of: BacnetObject;
  readonly typeName: string;
  readonly pair: (capability: string) => Promise<string>;
}): JSX.Element {
  const { of, typeName, pair } = props;
  const { objectName, objectId, identifier, possibleDevices, alreadyPaired } = of;
  const [first = ""] = possibleDevices;
  const chosen = useSignal(first);
  const problem = useSignal("");
  const isBusy = useSignal(false);
  const name = objectName || identifier;
  const add = async (): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    problem.value = await pair(chosen.value);
    isBusy.value = false;
  };
  return (
    <li class="card">
      <h2>{name}</h2>
      <p class="muted">{`${typeName} ${objectId}`}</p>
      {alreadyPaired ? (
        <p>{t("bacnet.paired")}</p>
      ) : (
        <>
          <label class="field">
            <span>{t("bacnet.as")}</span>
            <select value={chosen.value} onChange={(event) => (chosen.value = event.currentTarget.value)}>
              {possibleDevices.map((capability) => (
                <option key={capability} value={capability}>
                  {capabilityText(capability)}
                </option>
              ))}
            </select>
          </label>
          <Problem>{problem.value}</Problem>
          <LiveButton isBlocked={isBusy.value || first === ""} onClick={() => void add()}>
            {t("bacnet.add", { name })}
          </LiveButton>
        </>
      )}
    </li>
  );
}

function Device(props: {
  readonly of: BacnetDevice;
  readonly isOnly: boolean;
  readonly types: Readonly<Record<string, string>>;
  readonly pair: (of: BacnetObject, capability: string) => Promise<string>;
}): JSX.Element {
  const { of, isOnly, types, pair } = props;
  const { deviceId, address, made, objects } = of;
  return (
    <details class="card" open={isOnly}>
      <summary>
        {`${made || t("bacnet.title")} `}
        <span class="muted">{t("bacnet.at", { number: deviceId, address })}</span>
      </summary>
      <ul class="plain">
        {objects.map((object) => (
          <ObjectRow
            key={object.identifier}
            of={object}
            typeName={types[object.objectType] ?? object.objectType}
            pair={(capability) => pair(object, capability)}
          />
        ))}
      </ul>
    </details>
  );
}

/** Finds BACnet devices, and makes objects of theirs devices of the home. */
export function Bacnet(props: {
  readonly stop: () => void;
  readonly done: (ids: readonly string[]) => void;
}): JSX.Element {
  const { stop, done } = props;
  const { found, problem, look } = useFound();
  const types = useAnswer(bacnetTypes, "types of BACnet objects").asked.value;
  const come = useNewcomers();
  const devices = devicesOf(found.value);
  const pair = async (of: BacnetObject, capability: string): Promise<string> => {
    const answer = await pairBacnet(of, capability);
    if (!answer.ok) return wordsOf(answer);
    found.value = { ...found.value, [of.identifier]: { ...of, alreadyPaired: true } };
    sync.hurry();
    return "";
  };
  return (
    <>
      <h1 tabIndex={-1}>{t("bacnet.title")}</h1>
      <p>{t("bacnet.how")}</p>
      <p role="status">{t("bacnet.found", { n: devices.length })}</p>
      <Problem>{problem.value}</Problem>
      {devices.map((device) => (
        <Device
          key={device.key}
          of={device}
          isOnly={devices.length === 1}
          types={types.state === "done" ? types.value : {}}
          pair={pair}
        />
      ))}
      <LookAt look={look} />
      <Onward come={come.value} done={done} stop={stop} />
    </>
  );
}
