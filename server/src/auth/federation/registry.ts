// The available providers: those in the settings, and custom ones that an administrator has added.
import { refuse } from "../errors.ts";
import type { AuthParts } from "../parts.ts";
import { planFor } from "./providers/plans.ts";
import type { ProviderPlan } from "./providers/provider.ts";
import { customPlan, isCustom } from "./custom/custom-plan.ts";

/** Refuses an unknown or disabled provider with validation_failed, in GoTrue's words. */
export async function planOf(parts: AuthParts, given: string): Promise<ProviderPlan> {
  const name = given.toLowerCase();
  if (isCustom(name)) return customPlan(parts, name);
  const plan = planFor(parts.settings, name);
  if (plan) return plan;
  const known = Object.hasOwn(parts.settings.providers, name);
  throw refuse(
    "validation_failed",
    `Unsupported provider: ${known ? "provider is not enabled" : `Provider ${name} could not be found`}`,
  );
}
