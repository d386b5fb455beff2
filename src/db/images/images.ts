/** Pictures that workspaces store for their mails. */
import type { Picture } from '../../ground/images/read-image.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface ImageRow extends Omit<Picture, 'bytes'> {
  id: string
  digest: Buffer
  name: string
  /** Bytes. */
  size: number
  createdAt: Date
}

/**
 * Serialises the calls that add pictures to a workspace, and answers its stored bytes: there is a
 * limit.
 */
export async function lockImages(tx: Database, workspaceId: number): Promise<number> {
  await tx.count(sql`select 1 from workspace where id = ${workspaceId} for no key update`)
  return tx.onlyValue<number>(sql`
    select coalesce(sum(size), 0)::bigint as size from image_file where workspace_id = ${workspaceId}`)
}

export function insertImage(
  db: Database,
  workspaceId: number,
  image: Picture & { id: string; digest: Buffer; name: string },
): Promise<ImageRow> {
  return db.onlyRow<ImageRow>(sql`
    insert into image_file (workspace_id, id, digest, type, width, height, size, content, name, created_at)
    values (${workspaceId}, ${image.id}, ${image.digest}, ${image.type}, ${image.width}, ${image.height},
      ${image.bytes.length}, ${image.bytes}, ${image.name}, date_trunc('milliseconds', facteur_now()))
    returning id, digest, type, width, height, size, name, created_at`)
}

export function imageByDigest(
  db: Database,
  workspaceId: number,
  digest: Buffer,
): Promise<ImageRow | null> {
  return db.row<ImageRow>(sql`
    select id, digest, type, width, height, size, name, created_at from image_file
    where workspace_id = ${workspaceId} and digest = ${digest}`)
}

/** The response of its public address. */
export function imageBytes(
  db: Database,
  { workspaceId, digest }: { workspaceId: number; digest: Buffer },
): Promise<Pick<Picture, 'type' | 'bytes'> | null> {
  return db.row<Pick<Picture, 'type' | 'bytes'>>(sql`
    select type, content as bytes from image_file where workspace_id = ${workspaceId} and digest = ${digest}`)
}

/** The same without its bytes. */
export function imageSize(
  db: Database,
  { workspaceId, digest }: { workspaceId: number; digest: Buffer },
): Promise<Pick<ImageRow, 'type' | 'size'> | null> {
  return db.row<Pick<ImageRow, 'type' | 'size'>>(sql`
    select type, size from image_file where workspace_id = ${workspaceId} and digest = ${digest}`)
}

/** Those that the workspace has. */
export function imagesAmong(
  db: Database,
  workspaceId: number,
  digests: Buffer[],
): Promise<Buffer[]> {
  return db.column<Buffer>(sql`
    select digest from image_file where workspace_id = ${workspaceId} and digest = any(${digests}::bytea[])`)
}

/** Newest first, before one on. */
export function imagePage(
  db: Database,
  workspaceId: number,
  page: { max: number; before: string | null },
): Promise<ImageRow[]> {
  const before = page.before ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  return db.rows<ImageRow>(sql`
    select id, digest, type, width, height, size, name, created_at from image_file
    where workspace_id = ${workspaceId} and id < ${before}::uuid
    order by id desc limit ${page.max}`)
}
