/**
 * Finds request bodies that arrive too slowly: a file may take its time while it progresses, any other body must be
 * complete soon.
 */
import type { IncomingMessage } from 'node:http'

/** The largest file over a line of a megabit a second; Node.js itself ends what lasts longer. */
export const fileMs = 30 * 60_000

/** For what is no file. */
const bodyMs = 120_000

/** Without an octet. */
const silenceMs = 60_000

export interface SlowBodies {
  /** Watches the body of a request until it is there. */
  enter(request: IncomingMessage): void
  /** It is a file. */
  allowFile(request: IncomingMessage): void
  /** Cuts those that are too slow at this moment. */
  sweep(nowMs: number): void
}

interface Arriving {
  /** When it began, and when something came the last time it was looked at; null: it was not yet. */
  begunMs: number | null
  heardMs: number
  octets: number
  isFile: boolean
}

export function createSlowBodies(cut: (request: IncomingMessage) => void): SlowBodies {
  const arriving = new Map<IncomingMessage, Arriving>()
  const isSlow = (request: IncomingMessage, body: Arriving, nowMs: number): boolean => {
    const octets = request.socket.bytesRead
    // Bytes that wait for us to read them do not make the sender slow.
    if (octets !== body.octets || request.readableLength > 0) Object.assign(body, { octets, heardMs: nowMs })
    body.begunMs ??= nowMs
    return nowMs - body.heardMs >= silenceMs || (!body.isFile && nowMs - body.begunMs >= bodyMs)
  }
  return {
    enter(request) {
      if (request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined) return
      arriving.set(request, { begunMs: null, heardMs: 0, octets: -1, isFile: false })
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
