// What `ws` does with a broadcast at its best, as a process of its own: what one socket says, all hear. Its parent is told the port.
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
