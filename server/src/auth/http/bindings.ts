// The context of every route of this service.
import type { ServiceContext } from "../../platform/http/context.ts";
import type { AuthCaller } from "../parts.ts";

export interface Bindings {
  Bindings: ServiceContext;
  Variables: { caller: AuthCaller };
}
