/**
 * Loaded before the program (`node --import`): the wall clock of its process is wrong by the
 * seconds in a file, which a test changes while it runs. The monotonic clock and the database's are
 * right, as on a machine whose time was set.
 */
import { readFileSync } from 'node:fs'

const file = process.env.TEST_CLOCK_FILE ?? ''
let offsetMs = 0

function readOffset() {
  try {
    offsetMs = Number(readFileSync(file, 'utf8')) * 1000
  } catch {
    // The test is about to write it.
  }
}

const RealDate = Date

class SkewedDate extends RealDate {
  /** @param {any[]} given */
  constructor(...given) {
    if (given.length === 0) super(SkewedDate.now())
    else super(.../** @type {[any]} */ (given))
  }

  static now() {
    return RealDate.now() + offsetMs
  }
}

globalThis.Date = /** @type {any} */ (SkewedDate)
readOffset()
setInterval(readOffset, 50).unref()
