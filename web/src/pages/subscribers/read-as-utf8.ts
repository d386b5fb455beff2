/** Converts a file to UTF-8, because spreadsheets write accents in older encodings. */

/** The page converts files up to this size; the service refuses longer ones that it cannot read. */
const sampledMax = 50 * 1_048_576

export interface ReadFile {
  file: File
  /** The function converted the file from this encoding. Null means it converted nothing. */
  was: 'utf-16' | 'windows-1252' | null
}

export async function readAsUtf8(file: File): Promise<ReadFile> {
  if (file.size > sampledMax) return { file, was: null }
  const bytes = new Uint8Array(await file.arrayBuffer())
  const mark =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : null
  if (mark !== null)
    return { file: rewritten(file, new TextDecoder(mark).decode(bytes)), was: 'utf-16' }
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return { file, was: null }
  } catch {
    return {
      file: rewritten(file, new TextDecoder('windows-1252').decode(bytes)),
      was: 'windows-1252',
    }
  }
}

const rewritten = (file: File, text: string): File =>
  new File([text], file.name, { type: 'text/csv' })
