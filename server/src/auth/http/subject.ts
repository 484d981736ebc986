// A group of endpoints, in the folder of its subject. It adds its routes to the given app.
import type { Hono } from "hono";
import type { AuthParts } from "../parts.ts";
import type { Bindings } from "./bindings.ts";

export type Subject = (app: Hono<Bindings>, parts: AuthParts) => void;
