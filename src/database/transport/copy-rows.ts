/**
 * Passes rows from one database to another in COPY's binary format, without holding more than a few
 * chunks.
 */
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import type { RowDigest } from './row-digest.ts'

export interface PassRows {
  from: pg.ClientBase
  to: pg.ClientBase
  /** Such as `message` or `(select …)`, and the table that takes it, with its columns. */
  source: string
  target: string
  /** Further words of COPY on the target, such as `freeze true`. */
  options?: string
  /** Counts what passes. */
  digest?: RowDigest
  onBytes?(bytes: number): void
  signal?: AbortSignal | undefined
}

/** Answers how many rows passed. */
export async function passRows({
  from,
  to,
  source,
  target,
  options,
  digest,
  onBytes,
  signal,
}: PassRows): Promise<number> {
  const reading = from.query(copyTo(`copy ${source} to stdout (format binary)`))
  const writing = to.query(
    copyFrom(
      `copy ${target} from stdin (format binary${options === undefined ? '' : `, ${options}`})`,
    ),
  )
  reading.on('data', (chunk: Buffer) => {
    digest?.add(chunk)
    onBytes?.(chunk.length)
  })
  await pipeline(reading, writing, ...(signal ? [{ signal }] : []))
  return writing.rowCount
}

/** Reads rows only to count them and to compute their digest. */
export async function readRows(
  from: pg.ClientBase,
  {
    source,
    digest,
    onBytes,
    signal,
  }: Pick<PassRows, 'source' | 'onBytes' | 'signal'> & { digest: RowDigest },
): Promise<void> {
  for await (const chunk of from.query(copyTo(`copy ${source} to stdout (format binary)`))) {
    signal?.throwIfAborted()
    digest.add(chunk as Buffer)
    onBytes?.((chunk as Buffer).length)
  }
}
