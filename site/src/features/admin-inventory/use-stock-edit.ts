// The row being edited: what is typed, the row it started from, and by field why it could not be saved.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useUnsaved } from "#lib/browser/unsaved.ts";
import { attributive, type ProductKind } from "contract/shop/kinds";
import { toast } from "#ui/overlays/toast.ts";
import { refusedBy } from "#ui/forms/use-attempt.ts";
import { type Problems, problemsOf } from "#ui/forms/use-problems.ts";
import {
  changesOf,
  conflictProblems,
  draftOf,
  fieldOfColumn,
  isNothing,
  rebase,
  type Draft,
  type StockRow,
} from "./model.ts";
import { editInventory, useInventoryStatus } from "./queries.ts";

export interface StockEdit {
  base: StockRow;
  draft: Draft;
  problems: Problems<keyof Draft>;
  /** The consequences of the change, which is saved only after confirmation. */
  question?: string | undefined;
  busy: boolean;
}

export function useStockEdit(kind: ProductKind) {
  const queryClient = useQueryClient();
  const inventory = useInventoryStatus();
  const [edit, setEdit] = useState<StockEdit>();
  useUnsaved(edit !== undefined && JSON.stringify(edit.draft) !== JSON.stringify(draftOf(edit.base)));

  const begin = (row: StockRow) => setEdit({ base: row, draft: draftOf(row), problems: {}, busy: false });
  const type = (field: keyof Draft, value: string) =>
    setEdit(
      (edit) =>
        edit && {
          ...edit,
          draft: { ...edit.draft, [field]: value },
          problems: { ...edit.problems, [field]: undefined },
        },
    );
  /** An edit that is being saved stays open for its result. */
  const cancel = () => setEdit((edit) => (edit?.busy ? edit : undefined));
  const dropQuestion = () => setEdit((edit) => edit && { ...edit, question: undefined });

  async function save(sure = false) {
    if (!edit || edit.busy) return;
    const { base, draft } = edit;
    const changes = changesOf(draft, base);
    if ("problems" in changes) return setEdit({ ...edit, problems: changes.problems });
    if (isNothing(changes)) return cancel();
    setEdit({ base, draft, busy: true, problems: {} });
    try {
      const answer = await editInventory(base, changes, { asSeen: true, sure });
      if (answer.outcome === "asks") {
        return setEdit({ base, draft, busy: false, problems: {}, question: answer.question });
      }
      if (answer.outcome === "saved") {
        toast.success(`${attributive(kind)} inventory updated successfully`);
        setEdit(undefined);
        void queryClient.invalidateQueries({ queryKey: ["inventory-status"] });
        return;
      }
      const { data } = await inventory.refetch();
      const now = data?.products.find(({ id }) => id === base.id);
      setEdit({
        base: now ?? base,
        draft: now ? rebase(draft, base, now) : draft,
        problems: conflictProblems(base, now),
        busy: false,
      });
    } catch (error) {
      toast.error(`Failed to update ${attributive(kind).toLowerCase()} inventory`);
      setEdit({ base, draft, problems: problemsOf(refusedBy(error), fieldOfColumn), busy: false });
    }
  }

  return { edit, begin, type, cancel, save, dropQuestion };
}
