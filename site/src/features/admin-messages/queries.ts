import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { z } from "zod";
import { isRefused } from "#lib/api/refusal.ts";
import { getSupabase, type Supabase } from "#lib/api/supabase.ts";
import { parseAnswer, read } from "#lib/lists/back-office-reads.ts";
import { csvTime, type CsvColumn } from "#lib/lists/csv.ts";
import { parseListPage, positionArgs } from "#lib/lists/list-pages.ts";
import type { ListSource } from "#lib/lists/list.ts";
import { refusalWords } from "#lib/session/refusal-words.ts";
import { toast } from "#ui/overlays/toast.ts";
import {
  type Audience,
  type Bounce,
  bounce,
  type Draft,
  message,
  type Message,
  standingOf,
} from "./model.ts";

/** While mails go out. */
const PROGRESS_EVERY_MS = 2000;

export const messageList: ListSource<Message, { search: string }> = {
  key: "messages",
  size: 25,
  async read({ search }, size, place) {
    const answer = await read("messages", (supabase) =>
      supabase.rpc("list_messages", { p_search: search, page_size: size, ...positionArgs(place) }),
    );
    return parseListPage("messages", message, answer);
  },
  startAfter: ({ created_at: at, id }) => ({ at, id }),
  refreshEveryMs: ({ rows }) => rows.some((row) => standingOf(row) === "Sending") && PROGRESS_EVERY_MS,
};

export const messageCsv: readonly CsvColumn<Message>[] = [
  ["Subject", (row) => row.subject],
  ["Text", (row) => row.body],
  ["Sent", (row) => row.sent],
  ["Bounced", (row) => row.bounced],
  ["Waiting", (row) => row.waiting],
  ["Written by", (row) => row.sent_by],
  ["Written (Central)", (row) => csvTime(row.created_at)],
  ["ID", (row) => row.id],
];

const preview = z.object({
  recipients: z.number(),
  /** Left out, because they want no messages. */
  opted_out: z.number(),
  examples: z.array(z.string()),
});

/** How many people a choice reaches right now. */
export function useAudiencePreview(audience: Audience) {
  return useQuery({
    queryKey: ["message-audience", audience],
    queryFn: async () =>
      parseAnswer(
        "the recipients",
        preview,
        await read("the recipients", (supabase) =>
          supabase.rpc("preview_message_audience", { p_audience: { ...audience } }),
        ),
      ),
  });
}

/** The names of everything that has a ticket or pass, by id. */
export function useTypeNames() {
  return useQuery({
    queryKey: ["message-types"],
    queryFn: async (): Promise<ReadonlyMap<string, string>> => {
      const products = await read("what is for sale", (supabase) =>
        supabase
          .from("products")
          .select("id, name, product_kinds(position)")
          .order("product_kinds(position)")
          .order("price"),
      );
      return new Map(products.map(({ id, name }): [string, string] => [id, name]));
    },
  });
}

export function useBounces(id: string) {
  return useQuery({
    queryKey: ["message-bounces", id],
    queryFn: async (): Promise<Bounce[]> =>
      parseAnswer(
        "bounced addresses",
        z.array(bounce),
        await read("bounced addresses", (supabase) =>
          supabase.rpc("list_message_bounces", { p_message_id: id }),
        ),
      ),
  });
}

type Ask = (supabase: Supabase) => PromiseLike<{ error: { message: string; code: string } | null }>;

/** A message was already sent under this id, before it was changed. The response was lost. */
export class SentBefore extends Error {}

/** The request was refused, with the reason. */
export class Refused extends Error {}

/** Runs a change and refetches the messages. @throws Refused or SentBefore; any other error when the outcome is unknown */
function useMessageAct() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (ask: Ask) => {
      const { error } = await ask(await getSupabase());
      if (error?.code === "PT409") throw new SentBefore(error.message);
      if (error) throw isRefused(error) ? new Refused(refusalWords(error)) : new Error(refusalWords(error));
    },
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: ["messages"] }),
        queryClient.invalidateQueries({ queryKey: ["message-bounces"] }),
      ]),
  });
}

/**
 * `id` identifies the message, so resending after a lost response sends nothing twice. @throws SentBefore when it was changed since
 */
export function useSendMessage(id: string) {
  const act = useMessageAct();
  return {
    isPending: act.isPending,
    send: ({ subject, body, audience }: Draft) =>
      act.mutateAsync((supabase) =>
        supabase.rpc("send_message", {
          p_id: id,
          p_subject: subject,
          p_body: body,
          p_audience: { ...audience },
        }),
      ),
    test: ({ subject, body }: Draft) =>
      act.mutateAsync((supabase) => supabase.rpc("send_message_test", { p_subject: subject, p_body: body })),
  };
}

/** Stops and resumes a message, for buttons: shows a refusal as a message. */
export function useMessageControls() {
  const act = useMessageAct();
  const press = (ask: Ask, done: string) =>
    act.mutateAsync(ask).then(
      () => toast.success(done),
      (error: unknown) =>
        toast.error("Something went wrong", error instanceof Error ? error.message : String(error)),
    );
  return {
    isPending: act.isPending,
    stop: ({ id }: Message) => press((supabase) => supabase.rpc("stop_message", { p_id: id }), "Stopped"),
    resume: ({ id }: Message) =>
      press((supabase) => supabase.rpc("resume_message", { p_id: id }), "Sending resumed"),
    retryBounced: ({ id }: Message) =>
      press(
        (supabase) => supabase.rpc("resume_message", { p_id: id, p_bounced: true }),
        "Retrying the bounced addresses",
      ),
  };
}
