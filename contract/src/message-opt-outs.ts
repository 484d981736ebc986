// What the page /unsubscribe and the function behind it send each other. SQL uses the same states (`answer_opt_out`).
import { z } from "zod";

/** The body of `unsubscribe`. `wanted`: whether the address gets the organizers' messages from now on; without it, nothing changes. */
export const unsubscribeSchema = z.object({ token: z.string().max(200), wanted: z.boolean().optional() });

const answer = z.object({ state: z.enum(["receiving", "opted_out", "unknown"]) });

export type OptOutAnswer = z.infer<typeof answer>;

export const readOptOutAnswer = (body: unknown): OptOutAnswer => answer.parse(body);
