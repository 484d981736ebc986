import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { person, startRealtime, subscribed, type TestServer, waitFor } from "../../testing/realtime.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startRealtime();
});
afterEach(() => server.disconnectAll());
afterAll(() => server?.close());

async function signedIn() {
  const [user, session] = [randomUUID(), randomUUID()];
  await server.sql("insert into auth.users (id, email) values ($1, $2)", [user, `${user}@people.test`]);
  await server.sql("insert into auth.sessions (id, user_id) values ($1, $2)", [session, user]);
  const client = await server.connect({ ...person(user), session_id: session });
  const said: any[] = [];
  const channel = await subscribed(client.channel("live").on("system", {}, (message) => said.push(message)));
  return { user, session, client, channel, said };
}

describe("a live channel closes", () => {
  it.each([
    ["has signed out", "delete from auth.sessions where user_id = $1"],
    ["was banned", "update auth.users set banned_until = now() + interval '1 day' where id = $1"],
    ["was marked deleted", "update auth.users set deleted_at = now() where id = $1"],
    ["was deleted", "delete from auth.users where id = $1"],
  ])("when its user %s, and is not opened again", async (_, statement) => {
    const other = await signedIn();
    const { user, client, channel, said } = await signedIn();
    await server.sql(statement, [user]);
    await waitFor(() => expect(channel.state).toBe("closed"));
    expect(said).toMatchObject([{ status: "error", message: "Unauthorized: The session has ended" }]);
    await expect(subscribed(client.channel("again"))).rejects.toThrow("The session has ended");
    expect(other.channel.state).toBe("joined");
  });

  it("when its user is no administrator any more", async () => {
    const { user, channel } = await signedIn();
    const kept = await signedIn();
    await server.sql("insert into public.user_roles (user_id, role) values ($1, 'admin'), ($2, 'admin')", [
      user,
      kept.user,
    ]);
    await server.sql("update public.user_roles set role = 'user' where user_id = $1", [user]);
    await waitFor(() => expect(channel.state).toBe("closed"));
    expect(kept.channel.state).toBe("joined");
  });

  it("when its session ended while nobody listened", async () => {
    const { user, channel } = await signedIn();
    await server.sql("alter table auth.sessions disable trigger sessions_tell_end");
    await server.sql("delete from auth.sessions where user_id = $1", [user]);
    await server.sql("alter table auth.sessions enable trigger sessions_tell_end");
    expect(channel.state).toBe("joined");
    await server.sql(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name like '%session_ended' and datname = current_database()",
    );
    await waitFor(() => expect(channel.state).toBe("closed"));
  });
});
