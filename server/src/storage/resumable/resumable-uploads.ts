// Uploads in parts that survive a lost connection and a restart: the TUS protocol through its official library. Owns who may send to
// which upload, checked before a byte is accepted and again after the last one, and how the bytes become an object.
import { randomUUID } from "node:crypto";
import { ERRORS, Server, type Upload } from "@tus/server";
import { ServiceError } from "../../platform/errors.ts";
import type { Log } from "../../platform/log.ts";
import type { RequestScope } from "../../postgres/scope/request-scope.ts";
import type { ObjectStore } from "../bytes/object-store.ts";
import { invalidRequest, noSuchUpload } from "../errors.ts";
import { requireMimeType } from "../names.ts";
import type { Objects, Place } from "../objects.ts";
import type { UploadGrant } from "../signed-urls.ts";
import { parseMetadata } from "../upload-body.ts";
import { UploadFiles } from "./upload-files.ts";
import { UploadLocks } from "./upload-locks.ts";
import { EXPIRES_MS, type UploadRecords } from "./upload-records.ts";

const PATH = "/upload/resumable";

/** The sender, and the address it uses. */
export interface Sender {
  readonly caller: RequestScope;
  readonly upsert: boolean;
  /** Checks a signed address; undefined where the policies decide. Throws InvalidJWT and InvalidSignature. */
  readonly verify?: ((place: Place) => Promise<{ caller: RequestScope; grant: UploadGrant }>) | undefined;
  /** The part of the address before `/upload/resumable`. */
  readonly prefix: string;
}

interface Deps {
  readonly records: UploadRecords;
  readonly objects: Objects;
  readonly store: ObjectStore;
  readonly largest: number;
  readonly log: Log;
}

type Facts = Record<string, string | null>;

/** What is known about a request while the library handles it. */
interface Handling extends Sender {
  caller: RequestScope;
  place?: Place;
}

export class ResumableUploads {
  readonly #deps: Deps;
  readonly #records: UploadRecords;
  readonly #locks = new UploadLocks();
  readonly #server: Server;
  readonly #handled = new WeakMap<object, Handling>();
  readonly #finishing = new Map<string, Promise<void>>();

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#records = deps.records;
    const handling = (request: object) => this.#handled.get(request)!;
    this.#server = new Server({
      path: PATH,
      datastore: new UploadFiles(this.#records, EXPIRES_MS, (id) => this.#largest(id)),
      locker: this.#locks,
      disableTerminationForFinishedUploads: true,
      maxSize: (_, id) => this.#largest(id),
      namingFunction: () => randomUUID(),
      getFileIdFromRequest: (request) => idIn(new URL(request.url).pathname),
      generateUrl: (request, { id }) => addressOf(handling(request), id),
      onUploadCreate: (request, upload) => this.#begin(handling(request), upload),
      onIncomingRequest: (request, id) => this.#authorize(handling(request), request.method, id),
      onUploadFinish: async (request, upload) => {
        await this.#finish(handling(request).caller, upload.id);
        return { headers: { "Tus-Complete": "1" } };
      },
      onResponseError: (_, error) => this.#rendered(error),
    });
  }

  fetch(request: Request, sender: Sender): Promise<Response> {
    this.#handled.set(request, { ...sender });
    return this.#server.handleWeb(request);
  }

  /** The limit for one request's body. The bucket's own limit is checked when the upload begins. */
  async #largest(id: string | null): Promise<number> {
    const record = id === null ? undefined : await this.#records.read(id);
    if (!record) return this.#deps.largest;
    return (await this.#deps.objects.rulesOf(record.grant.bucket)).limit;
  }

  /** Throws what any upload would throw, before a byte is accepted. */
  async #begin(handling: Handling, upload: Upload) {
    const facts = upload.metadata ?? {};
    const place = placeIn(facts);
    const { caller, upsert } = await this.#senderFor(handling, place);
    const rules = await this.#deps.objects.requireWritable(caller, place, upsert);
    if ((upload.size ?? 0) > rules.limit) throw ERRORS.ERR_MAX_SIZE_EXCEEDED;
    requireMimeType(mimeTypeIn(facts), rules.mimeTypes);
    userMetadataIn(facts);
    handling.place = place;
    handling.caller = caller;
    const grant = { ...place, owner: caller.claims.sub ?? null, upsert };
    await this.#records.grant(upload.id, grant, (id) => this.#locks.isHeld(id));
    return {};
  }

  async #senderFor(handling: Handling, place: Place) {
    if (!handling.verify) return { caller: handling.caller, upsert: handling.upsert };
    const { caller, grant } = await handling.verify(place);
    return { caller, upsert: grant.upsert };
  }

  /** Only the creator may continue an upload, and only as long as the policies let them write its object. */
  async #authorize(handling: Handling, method: string, id: string): Promise<void> {
    if (method === "POST") return;
    const record = await this.#records.read(id);
    if (!record) throw noSuchUpload();
    const { caller } = await this.#senderFor(handling, record.grant);
    if ((caller.claims.sub ?? null) !== record.grant.owner) throw noSuchUpload();
    handling.caller = caller;
    if (record.finished) return;
    if (method === "PATCH") {
      await this.#deps.objects.requireWritable(caller, record.grant, record.grant.upsert);
    } else if (method === "HEAD" && (await this.#records.isWhole(id))) {
      // The last byte arrived, and then the server stopped: a client that sees its whole offset sends nothing more.
      await this.#finish(caller, id);
    }
  }

  async #finish(caller: RequestScope, id: string): Promise<void> {
    const underWay = this.#finishing.get(id);
    if (underWay) return underWay;
    const finish = this.#publish(caller, id).finally(() => this.#finishing.delete(id));
    this.#finishing.set(id, finish);
    return finish;
  }

  /**
   * First the bytes under a new version, then the row, then the record: anything interrupted in between is repeated. A new version for
   * each attempt, since the sweeper may be removing the bytes of an earlier one.
   */
  async #publish(caller: RequestScope, id: string): Promise<void> {
    const { objects, store } = this.#deps;
    const record = await this.#records.read(id);
    if (!record) throw noSuchUpload();
    if (record.finished) return;
    const { grant, upload } = record;
    const facts = upload.metadata ?? {};
    try {
      if (record.version === undefined || !(await objects.has(record.version))) {
        await objects.requireWritable(caller, grant, grant.upsert);
        const version = await this.#records.attempt(id);
        const file = await store.adopt(version, this.#records.pathOf(id));
        const said = {
          mimeType: mimeTypeIn(facts),
          cacheControl: cacheControlIn(facts),
          userMetadata: userMetadataIn(facts),
        };
        await objects.publish(caller, grant, version, file, said, grant.upsert);
      }
    } catch (error) {
      if (isFinal(error)) await this.#records.remove(id);
      throw error;
    }
    await this.#records.finish(id);
  }

  #rendered(error: unknown): { status_code: number; body: string } | undefined {
    if (error instanceof ServiceError) return { status_code: error.status, body: error.message };
    if (typeof (error as { status_code?: unknown }).status_code === "number") return undefined;
    this.#deps.log.error({ err: error }, "a resumable upload failed");
    return { status_code: 500, body: "Internal server error" };
  }
}

/** A server that is busy, or whose disk is full, may accept the same upload later. */
const isFinal = (error: unknown) =>
  error instanceof ServiceError && error.status < 500 && error.status !== 429;

/** As storage-api names uploads: by bucket, name and an id. Only the id is read back. */
function addressOf({ prefix, verify, place }: Handling, id: string): string {
  const name = Buffer.from(`${place!.bucket}/${place!.name}/${id}`).toString("base64url");
  return `${prefix}${PATH}${verify ? "/sign" : ""}/${name}`;
}

function idIn(path: string): string | undefined {
  const name = Buffer.from(path.split("/").at(-1)!, "base64url").toString();
  return /\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(name)?.[1];
}

function placeIn({ bucketName, objectName }: Facts): Place {
  if (!bucketName) throw invalidRequest("Upload-Metadata must have bucketName");
  if (!objectName) throw invalidRequest("Upload-Metadata must have objectName");
  return { bucket: bucketName, name: objectName };
}

const mimeTypeIn = ({ contentType }: Facts) => contentType || "application/octet-stream";

const cacheControlIn = ({ cacheControl }: Facts) =>
  /^\d+$/.test(cacheControl ?? "") ? `max-age=${cacheControl}` : "no-cache";

const userMetadataIn = ({ metadata }: Facts) => (metadata ? parseMetadata(metadata) : undefined);
