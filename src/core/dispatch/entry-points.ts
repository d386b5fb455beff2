/** What the HTTP door lends to the other doors on its port, so that every answer is counted, logged and written alike. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Operation } from '../../contract/operation.ts'
import type { OperationId } from '../../contract/operations.ts'
import type { Answer } from './call.ts'
import type { Dispatch, Identify } from './dispatch.ts'
import type { SessionDispatch } from './session-dispatch.ts'
import type { AnswerPageRequest } from './answer-page-request.ts'

/** A request of which nothing but the head was read. */
export interface Incoming {
  method: string
  /** Of its path, decoded. */
  params: Record<string, string>
  /** A repeated parameter counts once: the last. */
  query: Record<string, string>
  /** By lower-case names, repeated ones joined as node:http does. */
  headers: IncomingHttpHeaders
  /** Where it came from. */
  address: string
  requestId: string
  /** Reads and parses the body, once; throws ApiError for what is not JSON or too long, CallerLeft when it breaks off. */
  readBody(bytesMax: number): Promise<unknown>
  /** The body as it comes, once, and no faster than it is taken; throws like `readBody`. Nothing is held of it. */
  readFile(bytesMax: number): AsyncIterable<Buffer>
  /** How much of the body was read. */
  octetsRead(): number
}

/** An answer, and which operation was performed for it: logs and metrics tell. A body that is undefined is none. */
export type EntryPointAnswer = Answer & { operation: OperationId | null }

/** What a browser is shown at an address that nothing has, in place of the answer that a program gets. `url`: with its query. */
export type RenderMissing = (
  answer: EntryPointAnswer,
  request: Pick<Incoming, 'method' | 'headers'> & { url: string },
) => EntryPointAnswer

/** What a process holds of bodies at this moment, in bytes. */
export interface BodyLoad {
  held: number
  /** Large bodies that wait for room. */
  waiting: number
  /** The most that was held since the start. */
  peak: number
  limit: number
}

export interface EntryPoints {
  answerVisit: AnswerPageRequest
  identify: Identify
  dispatch: Dispatch
  /** The way of people. */
  dispatchSession: SessionDispatch
  /** Gives all requests for a path to another door, whatever their method. It rejects with CallerLeft alone. */
  add(path: string, answer: (incoming: Incoming) => Promise<EntryPointAnswer>): void
  /** Gives one method of a path, `{name}` being a parameter, to another door. It rejects with CallerLeft alone. */
  route(method: Operation['method'], path: string, answer: (incoming: Incoming) => Promise<EntryPointAnswer>): void
}
