// The page's connection for live changes under a test's control: reports when changes flow, and can be cut and restored.
import { expect, type Page, type WebSocketRoute } from "@playwright/test";

export interface LiveConnection {
  /** Waits until row changes flow to this many channels, since the page was opened or the connection was restored. */
  flows(channels: number): Promise<void>;
  /** Waits until the page has joined the channel. */
  joined(channel: string): Promise<void>;
  /** Ends the connection and refuses every further one. */
  cut(): Promise<void>;
  mend(): void;
  /** Whose token each join has had since the connection was last cut: the user's id, or undefined for a visitor. */
  joinedAs(): readonly (string | undefined)[];
  /** Holds new joins from now on; joined channels continue. */
  holdJoins(): void;
}

/**
 * Call before the page is opened. With `newsOf`, the page only receives new rows that contain the word: other tests order and apply
 * meanwhile, and the bell lists the newest twenty.
 */
export async function watchLiveConnection(
  page: Page,
  { newsOf }: { readonly newsOf?: string } = {},
): Promise<LiveConnection> {
  const open = new Set<WebSocketRoute>();
  let flowing = 0;
  let granted = "";
  let joinedAs: (string | undefined)[] = [];
  let isCut = false;
  let holdsJoins = false;
  await page.routeWebSocket(/\/realtime\/v1\/websocket/, (socket) => {
    if (isCut) return void socket.close();
    open.add(socket);
    const server = socket.connectToServer();
    socket.onMessage((message) => {
      const isJoin = String(message).includes("phx_join");
      if (isJoin) joinedAs.push(userOf(String(message)));
      if (!holdsJoins || !isJoin) server.send(message);
    });
    server.onMessage((message) => {
      const text = String(message);
      if (text.includes("Subscribed to PostgreSQL")) flowing++;
      if (text.includes("phx_reply") && text.includes('"status":"ok"')) granted += text;
      if (newsOf === undefined || !text.includes('"type":"INSERT"') || text.includes(newsOf))
        socket.send(message);
    });
  });
  /** The page has the last message by then, even if the connection is cut next. */
  const delivered = () => page.evaluate(() => {});
  return {
    async flows(channels) {
      await expect.poll(() => flowing, { message: "channels whose changes flow" }).toBe(channels);
      await delivered();
    },
    async joined(channel) {
      await expect.poll(() => granted, { message: "granted joins" }).toContain(channel);
      await delivered();
    },
    async cut() {
      isCut = true;
      for (const socket of open) await socket.close();
      open.clear();
      flowing = 0;
      joinedAs = [];
    },
    joinedAs: () => joinedAs,
    mend() {
      isCut = false;
    },
    holdJoins() {
      holdsJoins = true;
    },
  };
}

function userOf(join: string): string | undefined {
  const [, claims = ""] = /"access_token":"[^".]+\.([^".]+)\./.exec(join) ?? [];
  return (JSON.parse(Buffer.from(claims, "base64url").toString() || "{}") as { sub?: string }).sub;
}
