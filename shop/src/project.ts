// This repository's project, as the server serves it.
import { resolve } from "node:path";
import type { Project } from "../../server/src/postgres/setup/migrate.ts";

const root = resolve(import.meta.dirname, "../..");

export const PROJECT: Project = {
  supabase: resolve(root, "supabase"),
  migrations: {
    sandbox: resolve(root, "sandbox/migrations"),
    shop: resolve(root, "shop/migrations"),
  },
};
