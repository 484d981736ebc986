// What every route of this service finds in its context.
import type { ServiceContext } from "../../platform/context.ts";
import type { Caller } from "../parts.ts";

export interface Bindings {
  Bindings: ServiceContext;
  Variables: { caller: Caller };
}
