import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { person, sign, subscribed, useRealtime, waitFor } from "../../../testing/realtime.ts";

const server = await useRealtime();

/** A user with a live channel, who works in the back office unless another role is given. */
async function signedIn(role: "finance" | "user" = "finance") {
  const [user, session] = [randomUUID(), randomUUID()];
  await server.sql("insert into auth.users (id, email) values ($1, $2)", [user, `${user}@people.test`]);
  await server.sql(
    "insert into public.user_roles (user_id, role) values ($1, $2) on conflict (user_id) do update set role = excluded.role",
    [user, role],
  );
  await server.sql("insert into auth.sessions (id, user_id) values ($1, $2)", [session, user]);
  const client = await server.connect({ ...person(user), session_id: session });
  const system: any[] = [];
  const channel = await subscribed(
    client.channel("live").on("system", {}, (message) => system.push(message)),
  );
  return { user, session, client, channel, system };
}

const endListener = () =>
  server.sql(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name like '%session_ended' and datname = current_database()",
  );

/** Ends the user's sessions without a notification. */
async function endSilently(user: string) {
  await server.sql("alter table auth.sessions disable trigger sessions_notify_end");
  await server.sql("delete from auth.sessions where user_id = $1", [user]);
  await server.sql("alter table auth.sessions enable trigger sessions_notify_end");
}

describe("a live channel closes", () => {
  it.each([
    ["signs out", "delete from auth.sessions where user_id = $1"],
    ["is banned", "update auth.users set banned_until = now() + interval '1 day' where id = $1"],
    ["is marked as deleted", "update auth.users set deleted_at = now() where id = $1"],
    ["is deleted", "delete from auth.users where id = $1"],
  ])("when its user %s, and cannot be joined again", async (_, statement) => {
    const other = await signedIn();
    const { user, client, channel, system } = await signedIn();
    await server.sql(statement, [user]);
    await waitFor(() => expect(channel.state).toBe("closed"));
    expect(system).toMatchObject([{ status: "error", message: "Unauthorized: The session has ended" }]);
    await expect(subscribed(client.channel("again"))).rejects.toThrow("The session has ended");
    expect(other.channel.state).toBe("joined");
  });

  it("when its user is no longer an administrator", async () => {
    const { user, channel } = await signedIn();
    const kept = await signedIn();
    await server.sql("update public.user_roles set role = 'admin' where user_id in ($1, $2)", [
      user,
      kept.user,
    ]);
    await server.sql("update public.user_roles set role = 'user' where user_id = $1", [user]);
    await waitFor(() => expect(channel.state).toBe("closed"));
    expect(kept.channel.state).toBe("joined");
  });

  it("when its session ended while the listener was disconnected", async () => {
    const kept = await signedIn();
    const { user, channel } = await signedIn();
    await endSilently(user);
    expect(channel.state).toBe("joined");
    await endListener();
    await waitFor(() => expect(channel.state).toBe("closed"));
    expect(kept.channel.state).toBe("joined");
  });

  it("even if the check after the listener reconnects fails at first", async () => {
    const { user, channel } = await signedIn();
    await endSilently(user);
    await server.sql(`create sequence public.failures;
      alter function public.live_sessions rename to live_sessions_kept;
      create function public.live_sessions(p_sessions jsonb) returns jsonb language plpgsql security definer as
        $$ begin perform nextval('public.failures'); raise 'not now'; end $$`);
    await endListener();
    await waitFor(async () => {
      const { rows } = await server.sql("select is_called from public.failures");
      expect(rows).toEqual([{ is_called: true }]);
    });
    expect(channel.state).toBe("joined");
    await server.sql(`drop function public.live_sessions(jsonb);
      alter function public.live_sessions_kept rename to live_sessions`);
    await waitFor(() => expect(channel.state).toBe("closed"));
  });
});

describe("a session that ends without a role in the back office", () => {
  it("keeps its public channels, and may join others, until its token expires", async () => {
    const staff = await signedIn();
    const { user, client, channel } = await signedIn("user");
    await server.sql("delete from auth.sessions where user_id in ($1, $2)", [user, staff.user]);
    await waitFor(() => expect(staff.channel.state).toBe("closed"));
    await subscribed(client.channel("again"));
    expect(channel.state).toBe("joined");
  });

  it.each(["role", "scans"])("loses its own private channel %s:", async (topic) => {
    const { user, client } = await signedIn("user");
    const own = () => client.channel(`${topic}:${user}`, { config: { private: true } });
    const joined = await subscribed(own());
    await server.sql("delete from auth.sessions where user_id = $1", [user]);
    await waitFor(() => expect(joined.state).toBe("closed"));
    await expect(subscribed(own())).rejects.toThrow("You do not have permissions to read");
  });
});

describe("a session that ends while its token is checked", () => {
  beforeAll(() =>
    server.sql(
      `create policy "Everybody with an account reads" on realtime.messages for select to authenticated using (true)`,
    ),
  );

  /** Delays the policies' answer until `meanwhile` is done. */
  async function whileChecked(start: () => void, meanwhile: () => Promise<void>) {
    await server.transaction(async (tx) => {
      await tx.query("lock table realtime.messages in access exclusive mode");
      start();
      await waitFor(async () => {
        const { rows } = await server.sql(`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%realtime.messages%'`);
        expect(rows).toHaveLength(1);
      });
      await meanwhile();
    });
  }

  it("cannot join", async () => {
    const { user, client, channel } = await signedIn();
    let outcome: Promise<unknown> | undefined;
    await whileChecked(
      () => {
        const joined = subscribed(client.channel("private", { config: { private: true } }));
        outcome = joined.catch((error: Error) => error.message);
      },
      async () => {
        await server.sql("delete from auth.sessions where user_id = $1", [user]);
        await waitFor(() => expect(channel.state).toBe("closed")); // the server has received the notification
      },
    );
    expect(await outcome).toMatch("The session has ended");
  });

  it("cannot renew a channel's token", async () => {
    const { user, channel } = await signedIn();
    const session = randomUUID();
    await server.sql("insert into auth.sessions (id, user_id) values ($1, $2)", [session, user]);
    const { client, renew } = await server.connectRenewing(sign(person(user)));
    const other = await subscribed(client.channel("private", { config: { private: true } }));
    await whileChecked(
      () => void renew(sign({ ...person(user), session_id: session })),
      async () => {
        await server.sql("delete from auth.sessions where user_id = $1", [user]);
        await waitFor(() => expect(channel.state).toBe("closed"));
        expect(other.state).toBe("joined");
      },
    );
    await waitFor(() => expect(other.state).toBe("closed"));
  });
});
