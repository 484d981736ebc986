// Reassembles messages that were too large for one notification. A process sends the parts of a message one after the other,
// so only one message per process is ever incomplete.
export interface Part {
  readonly from: string;
  readonly of: number;
  readonly part: number;
  readonly parts: number;
  readonly data: string;
}

export type Assembly = ReturnType<typeof createAssembly>;

export function createAssembly() {
  const incomplete = new Map<string, { readonly of: number; readonly data: string[] }>();

  return {
    /** Returns the whole message with its last part. A part out of sequence is dropped together with its message. */
    add({ from, of, part, parts, data }: Part): string | undefined {
      const begun = part === 0 ? { of, data: [] } : incomplete.get(from);
      if (begun?.of !== of || begun.data.length !== part) {
        incomplete.delete(from);
        return undefined;
      }
      begun.data.push(data);
      incomplete.set(from, begun);
      if (begun.data.length < parts) return undefined;
      incomplete.delete(from);
      return Buffer.from(begun.data.join(""), "base64").toString("utf8");
    },
    forget: (from: string) => void incomplete.delete(from),
  };
}
