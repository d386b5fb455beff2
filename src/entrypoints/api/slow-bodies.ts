/**
 * Finds request bodies that arrive too slowly: a file may take its time while it progresses, any
 * other body must be complete soon.
 */
import type { IncomingMessage } from 'node:http'

/** Enough for the largest file at one megabit a second; Node.js itself ends longer requests. */
export const fileMs = 30 * 60_000

/** For bodies that are not files. */
const bodyMs = 120_000

/** Time without a single byte. */
const silenceMs = 60_000

export interface SlowBodies {
  /** Watches the body of a request that brings one until it is complete. */
  enter(request: IncomingMessage): void
  /** Marks the body as a file. */
  allowFile(request: IncomingMessage): void
  /** Ends the requests whose bodies are too slow at this moment. */
  sweep(nowMs: number): void
}

interface Arriving {
  /**
   * Times of the first check, and of the last check that found new bytes. Null if it is not checked
   * yet.
   */
  begunMs: number | null
  lastByteMs: number
  byteCount: number
  isFile: boolean
}

export function createSlowBodies(cut: (request: IncomingMessage) => void): SlowBodies {
  const arriving = new Map<IncomingMessage, Arriving>()
  const isSlow = (request: IncomingMessage, body: Arriving, nowMs: number): boolean => {
    const byteCount = request.socket.bytesRead
    // Bytes that wait for us to read them count as progress of the sender.
    if (byteCount !== body.byteCount || request.readableLength > 0)
      Object.assign(body, { byteCount, lastByteMs: nowMs })
    body.begunMs ??= nowMs
    return nowMs - body.lastByteMs >= silenceMs || (!body.isFile && nowMs - body.begunMs >= bodyMs)
  }
  return {
    enter(request) {
      arriving.set(request, { begunMs: null, lastByteMs: 0, byteCount: -1, isFile: false })
      request.once('close', () => arriving.delete(request))
    },
    allowFile(request) {
      const body = arriving.get(request)
      if (body) body.isFile = true
    },
    sweep(nowMs) {
      for (const [request, body] of arriving) {
        if (!request.complete && !isSlow(request, body, nowMs)) continue
        arriving.delete(request)
        if (!request.complete) cut(request)
      }
    },
  }
}
