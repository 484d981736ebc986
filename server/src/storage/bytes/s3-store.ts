// Objects in a bucket of an S3 service, under the same names as on disk. An upload is first collected in a file: S3 needs its length
// in advance, and memory use stays the same whatever the size.
import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { PipedBody } from "../../platform/http/piped-body.ts";
import { digest, removeOld, write } from "./files.ts";
import {
  isVersion,
  type ObjectStore,
  requireVersion,
  type StoredFile,
  type StoredVersion,
} from "./object-store.ts";

export interface S3Settings {
  readonly endpoint: string;
  readonly bucket: string;
  readonly key: string;
  readonly secret: string;
  readonly region: string;
}

/** Holds the id of the installation that owns the bucket. It lies next to the objects' folders, whose names have two digits. */
const OWNER = "owner";

/** S3's limit for one removal. */
const MOST_REMOVED = 1000;

export class S3Store implements ObjectStore {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #staging: string;
  readonly #idFile: string;

  /**
   * `staging`: a folder for uploads in progress. `idFile` holds this installation's id and is in no backup, since a restored copy is
   * another installation.
   */
  constructor(settings: S3Settings, { staging, idFile }: { staging: string; idFile: string }) {
    this.#bucket = settings.bucket;
    this.#staging = staging;
    this.#idFile = idFile;
    this.#client = new S3Client({
      endpoint: settings.endpoint,
      region: settings.region,
      credentials: { accessKeyId: settings.key, secretAccessKey: settings.secret },
      forcePathStyle: true,
      // Services other than Amazon's support neither the checksums nor the chunked signatures that are the default.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      requestHandler: { connectionTimeout: 5_000, requestTimeout: 60_000 },
    });
  }

  async put(version: string, body: AsyncIterable<Uint8Array>): Promise<StoredFile> {
    await mkdir(this.#staging, { recursive: true });
    const path = join(this.#staging, `${randomUUID()}.part`);
    try {
      return await this.#send(version, path, await write(path, body));
    } finally {
      await rm(path, { force: true });
    }
  }

  async adopt(version: string, path: string): Promise<StoredFile> {
    return this.#send(version, path, await digest(path));
  }

  async #send(version: string, path: string, file: StoredFile): Promise<StoredFile> {
    await this.#client.send(
      new PutObjectCommand({
        ...this.#at(version),
        Body: createReadStream(path),
        ContentLength: file.size,
        ContentMD5: Buffer.from(file.md5, "hex").toString("base64"),
      }),
    );
    return file;
  }

  async read(version: string, range?: { start: number; end: number }) {
    const wanted = range ? { Range: `bytes=${range.start}-${range.end}` } : {};
    const found = await this.#unlessMissing(
      this.#client.send(new GetObjectCommand({ ...this.#at(version), ...wanted })),
    );
    return found && new PipedBody(() => found.Body as Readable);
  }

  async has(version: string): Promise<boolean> {
    const found = await this.#unlessMissing(this.#client.send(new HeadObjectCommand(this.#at(version))));
    return found !== undefined;
  }

  async copy(from: string, to: string): Promise<boolean> {
    const source = this.#at(from);
    const copied = await this.#unlessMissing(
      this.#client.send(
        new CopyObjectCommand({ ...this.#at(to), CopySource: `${source.Bucket}/${source.Key}` }),
      ),
    );
    return copied !== undefined;
  }

  async remove(versions: readonly string[]): Promise<void> {
    for (let from = 0; from < versions.length; from += MOST_REMOVED) {
      const Objects = versions
        .slice(from, from + MOST_REMOVED)
        .map((version) => ({ Key: this.#at(version).Key }));
      const { Errors } = await this.#client.send(
        new DeleteObjectsCommand({ Bucket: this.#bucket, Delete: { Objects, Quiet: true } }),
      );
      if (Errors?.length) throw new Error(`S3 kept ${Errors.length} objects: ${Errors[0]!.Code}`);
    }
  }

  async list(prefix: string): Promise<StoredVersion[]> {
    const found: StoredVersion[] = [];
    let ContinuationToken: string | undefined;
    do {
      const page: ListObjectsV2CommandOutput = await this.#client.send(
        new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: `${prefix}/`, ContinuationToken }),
      );
      for (const { Key = "", LastModified } of page.Contents ?? []) {
        const version = Key.slice(3);
        if (isVersion(version)) found.push({ version, since: LastModified?.getTime() ?? Date.now() });
      }
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken);
    return found;
  }

  /** A bucket without an owner is claimed. If two installations claim it at once, reading back shows who won. */
  async isOurs(): Promise<boolean> {
    const id = await this.#id();
    if ((await this.#owner()) === undefined) {
      await this.#client.send(new PutObjectCommand({ Bucket: this.#bucket, Key: OWNER, Body: id }));
    }
    return (await this.#owner()) === id;
  }

  async #owner(): Promise<string | undefined> {
    const found = await this.#unlessMissing(
      this.#client.send(new GetObjectCommand({ Bucket: this.#bucket, Key: OWNER })),
    );
    return found?.Body?.transformToString();
  }

  async #id(): Promise<string> {
    const known = await readFile(this.#idFile, "utf8").catch(() => "");
    if (known !== "") return known;
    const id = randomUUID();
    await writeFile(this.#idFile, id, { flush: true });
    return id;
  }

  removeHalves(before: number): Promise<number> {
    return removeOld(this.#staging, (name) => name.endsWith(".part"), before);
  }

  #at(version: string) {
    return { Bucket: this.#bucket, Key: `${requireVersion(version).slice(0, 2)}/${version}` };
  }

  async #unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
    return answer.catch((error: { name?: string; $metadata?: { httpStatusCode?: number } }) => {
      if (error.$metadata?.httpStatusCode === 404 && error.name !== "NoSuchBucket") return undefined;
      throw error;
    });
  }
}
