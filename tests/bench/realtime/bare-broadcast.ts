// The best `ws` can do with a broadcast, in a separate process: every message of one socket goes to all. The parent receives the
// port.
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";

const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
server.on("listening", () => process.send!((server.address() as AddressInfo).port));
server.on("connection", (speaker) =>
  speaker.on("message", (said: Buffer) => {
    for (const listener of server.clients) listener.send(said);
  }),
);
process.once("disconnect", () => process.exit());
