import { HubConnectionBuilder, LogLevel } from "@microsoft/signalr";

const [cloud, token] = process.argv.slice(2);
const connection = new HubConnectionBuilder()
  .withUrl(`${cloud}/hub/v1`, { accessTokenFactory: () => token })
  .configureLogging(LogLevel.Warning)
  .build();
await connection.start();
const print = ({ push }) => console.log(push.type, push.name ?? "", JSON.stringify(push.state?.isOn));
connection.stream("Push", {}).subscribe({ next: print, error: console.error, complete: () => {} });
const { result } = await connection.invoke("Query", { query: { type: "ListHubsQuery" } });
const [{ deviceRegisterId }] = result.data;
await connection.invoke("Command", { command: { type: "SubscribeDeviceRegisterCommand", deviceRegisterId } });
