/** A file as UTF-8, whatever a spreadsheet made of it: accents of older programs are read as what they were. */

/** Files up to this size are looked at here; longer ones are told by the service where they cannot be read. */
const lookedAtMax = 50 * 1_048_576

export interface ReadFile {
  file: File
  /** What it was, where it was something else. */
  was: 'utf-16' | 'windows-1252' | null
}

export async function readAsUtf8(file: File): Promise<ReadFile> {
  if (file.size > lookedAtMax) return { file, was: null }
  const octets = new Uint8Array(await file.arrayBuffer())
  const mark =
    octets[0] === 0xff && octets[1] === 0xfe ? 'utf-16le' : octets[0] === 0xfe && octets[1] === 0xff ? 'utf-16be' : null
  if (mark !== null) return { file: rewritten(file, new TextDecoder(mark).decode(octets)), was: 'utf-16' }
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(octets)
    return { file, was: null }
  } catch {
    return { file: rewritten(file, new TextDecoder('windows-1252').decode(octets)), was: 'windows-1252' }
  }
}

const rewritten = (file: File, text: string): File => new File([text], file.name, { type: 'text/csv' })
