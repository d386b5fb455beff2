/**
 * Defines what the HTTP server lends to the entry points on its port, so that every answer is
 * counted, logged and written alike.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { OperationId } from '../../contract/operations.ts'
import type { ReserveMemory } from '../context.ts'
import type { Answer } from './call.ts'
import type { Dispatch } from './dispatch.ts'
import type { DispatchTogether } from './dispatch-together.ts'
import type { Identify } from './known-caller.ts'
import type { OperatorDispatch } from './operator-dispatch.ts'
import type { SessionDispatch } from './session-dispatch.ts'
import type { AnswerPageRequest } from './answer-page-request.ts'

/** A request of which only the head was read. */
export interface Incoming {
  method: string
  /** Parameters of its path, decoded. */
  params: Record<string, string>
  /** Of a repeated parameter the last value counts. */
  query: Record<string, string>
  /** By lower-case names, repeated ones joined as node:http does. */
  headers: IncomingHttpHeaders
  /** The address that it came from. */
  address: string
  requestId: string
  /**
   * Reads and parses the body, once. Throws ApiError for a body that is not JSON or too long,
   * CallerLeft when it breaks off.
   */
  readBody(bytesMax: number, from?: 'stranger'): Promise<unknown>
  /** Streams the body, once, at the reader's pace, without holding it. Throws like `readBody`. */
  readFile(bytesMax: number): AsyncIterable<Buffer>
  /** As that of `CallContext`, beside the body. */
  reserveMemory: ReserveMemory
  /** Aborted when the caller has closed the connection; for calls that wait. */
  left(): AbortSignal
  /** Bytes of the body that were read. */
  bytesRead(): number
}

/** What a request says before anything of it is read. `peer`: the socket's own address. */
export interface RequestHead {
  peer: string | undefined
  headers: IncomingHttpHeaders
}

/**
 * An answer and the operation that was performed, for logs and metrics. An undefined body is not
 * sent.
 */
export type EntryPointAnswer = Answer & { operation: OperationId | null }

/**
 * Renders the page for a browser at an unknown address, instead of the answer for programs. `url`
 * includes the query.
 */
export type RenderMissing = (
  answer: EntryPointAnswer,
  request: Pick<Incoming, 'method' | 'headers'> & { url: string },
) => EntryPointAnswer

/** Bytes of request bodies that this process holds now. */
export interface BodyLoad {
  retained: number
  /** Large bodies that wait for memory. */
  waiting: number
  /** The highest value since the start. */
  peak: number
  limit: number
}

/** The body of a page's form or of a notice, or why it was not read. */
export type StrangersBody =
  | { bytes: Buffer }
  | { refused: 'too_large' | 'too_slow' | 'busy' | 'left' }

/**
 * Reads the body of a caller without key or session, in the memory that such callers share. Never
 * rejects.
 */
export type ReadStrangersBody = (
  request: { raw: IncomingMessage; ip: string },
  reply: { raw: ServerResponse },
  bytesMax: number,
) => Promise<StrangersBody>

export interface EntryPoints {
  answerPage: AnswerPageRequest
  readStrangersBody: ReadStrangersBody
  identify: Identify
  dispatch: Dispatch
  dispatchTogether: DispatchTogether
  /** Dispatches the calls of signed-in users. */
  dispatchSession: SessionDispatch
  /** Dispatches the calls of the operator's page, which its entry point has let in. */
  dispatchOperator: OperatorDispatch
  /**
   * Gives all requests for a path to another entry point, whatever their method. It rejects only
   * with CallerLeft.
   */
  add(path: string, answer: (incoming: Incoming) => Promise<EntryPointAnswer>): void
  /**
   * Gives one method of a path to another entry point; `{name}` is a parameter. It rejects only
   * with CallerLeft. `isOpenTo`: whom the address exists for; all others get the answer of an
   * unknown one.
   */
  route(
    method: string,
    path: string,
    answer: (incoming: Incoming) => Promise<EntryPointAnswer>,
    isOpenTo?: (request: RequestHead) => boolean,
  ): void
}
