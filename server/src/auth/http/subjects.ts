// Every group of endpoints this service has.
import { accountRoutes } from "../account/routes.ts";
import { adminRoutes } from "../admin/routes.ts";
import { factorAdminRoutes, factorRoutes } from "../factors/routes.ts";
import { federationRoutes } from "../federation/routes.ts";
import { codeRoutes } from "../codes/routes.ts";
import { linkRoutes } from "../links/routes.ts";
import { passkeyRoutes } from "../passkeys/routes.ts";
import { sessionRoutes } from "../sessions/routes.ts";
import { signUpRoutes } from "../sign-up/routes.ts";
import { ssoRoutes } from "../sso/routes.ts";
import { notOffered } from "./not-offered.ts";
import { serviceRoutes } from "./service-routes.ts";
import type { Subject } from "./subject.ts";

/** The first match answers, so the routes that are not offered come last. */
export const SUBJECTS: readonly Subject[] = [
  serviceRoutes,
  signUpRoutes,
  sessionRoutes,
  linkRoutes,
  codeRoutes,
  accountRoutes,
  factorRoutes,
  passkeyRoutes,
  adminRoutes,
  factorAdminRoutes,
  federationRoutes,
  ssoRoutes,
  notOffered,
];
