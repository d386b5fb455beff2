/**
 * Stores the bytes of a file in the database in pieces of one size, and reads them again piece by
 * piece.
 */
import type { Database } from '../../database/client/database.ts'
import { addPiece, dropPieces, pieceOf } from '../../db/audience/subscriber-files.ts'
import type { RowKey } from '../context.ts'

const pieceBytes = 512 * 1024

/** The maximum of pieces that one statement deletes. */
const droppedAtOnce = 100

/** Stores the stream and returns its length. Throws `tooLarge()` beyond `bytesMax`. */
export async function storePieces(
  db: Database,
  { workspaceId, id }: RowKey,
  file: AsyncIterable<Buffer>,
  { bytesMax, tooLarge }: { bytesMax: number; tooLarge: () => Error },
): Promise<number> {
  const gathered: Buffer[] = []
  let [bytes, position] = [0, 0]
  const write = (): Promise<void> =>
    addPiece(db, workspaceId, {
      id,
      position: position++,
      bytes: Buffer.concat(gathered.splice(0)),
    })
  for await (const piece of file) {
    bytes += piece.length
    if (bytes > bytesMax) throw tooLarge()
    gathered.push(piece)
    if (gathered.reduce((sum, { length }) => sum + length, 0) >= pieceBytes) await write()
  }
  if (gathered.length > 0) await write()
  return bytes
}

/** A piece was deleted meanwhile. */
export class PieceMissing extends Error {}

/** Throws PieceMissing before the file's last byte: a missing piece must not look like its end. */
export async function* readPieces(
  db: Database,
  workspaceId: number,
  { id, bytes }: { id: string; bytes: number },
): AsyncGenerator<Buffer> {
  for (let [position, done] = [0, 0]; done < bytes; position++) {
    const piece = await pieceOf(db, workspaceId, id, position)
    if (piece === null) throw new PieceMissing(`A file of ${bytes} bytes has only ${done}`)
    done += piece.length
    yield piece
  }
}

export async function dropAllPieces(db: Database, workspaceId: number, id: string): Promise<void> {
  while ((await dropPieces(db, workspaceId, id, droppedAtOnce)) === droppedAtOnce);
}
