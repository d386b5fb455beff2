/** The input of a call of the outbound client, and its outcome. */
import type { RefusalReason } from './check-address.ts'

/** One call. */
export interface OutboundRequest {
  method: 'GET' | 'POST'
  url: URL
  headers: Record<string, string>
  body?: Buffer | string
  /** Gives the call up. */
  signal?: AbortSignal
  /** For the whole call, in milliseconds. */
  withinMs: number
  /** Limit in bytes of the answer's body; a longer body is cut there, and the connection closed. */
  readMax: number
  /**
   * Asked once a connection is there, right before anything is written; false gives the call up.
   */
  mayWrite?: (() => boolean) | undefined
  /**
   * Whether http may go to public addresses too: else only to those that the operator allows by
   * range.
   */
  plainHttp?: boolean
  /**
   * Whether ports other than 80 and 443 are for addresses that the operator allows only; with
   * `plainHttp`.
   */
  webPortsOnly?: boolean
}

/**
 * The outcome of a call. `reason`: a word of ours, or a code of the system such as `ENOTFOUND` or
 * `CERT_HAS_EXPIRED`.
 */
export type OutboundAnswer =
  | {
      kind: 'answered'
      status: number
      /** Names in lower case. */
      headers: Record<string, string | string[] | undefined>
      body: Buffer
      /** There was more of the body. */
      truncated: boolean
    }
  /** Not called: the address is one that we do not call. */
  | { kind: 'refused'; reason: RefusalReason }
  /**
   * `response`: the status and the part of the body that came before the failure; null when no
   * status came. `written`: whether the call was begun to be written, so that the receiver may have
   * read it.
   */
  | {
      kind: 'failed'
      reason: string
      response: { status: number; body: Buffer } | null
      written: boolean
    }
