// Removes the first administrator's generated password from the status file and the secrets as soon as it is changed, even by
// another process on the same database.
import { writeStatus } from "./announcement.ts";
import { type FirstAdmin, isFirstPasswordInUse } from "./first-admin.ts";
import type { Dependencies } from "../../server/src/dependencies.ts";
import { forgetAdminPassword } from "./secrets.ts";
import { listenTo } from "../../server/src/postgres/connections/listen.ts";

export function hideOnceChanged(deps: Dependencies, admin: FirstAdmin): void {
  const { config, database, logins, closers, log } = deps;
  let isOver = false;
  const hideIfChanged = async () => {
    const isInUse = await isFirstPasswordInUse(database);
    if (isInUse || isOver) return;
    isOver = true;
    forgetAdminPassword(config.dataDir);
    writeStatus(deps, { ...admin, password: undefined });
    await listener.close();
  };
  const onChange = () =>
    void hideIfChanged().catch((error: unknown) =>
      log.error({ err: error }, "the first password could not be hidden"),
    );
  const listener = listenTo(
    "first_password",
    logins.services,
    { onNotice: onChange, onConnected: onChange },
    log,
  );
  closers.push({
    part: "first password",
    close() {
      isOver = true;
      return listener.close();
    },
  });
}
