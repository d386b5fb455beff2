/**
 * One call by a dispatcher: its time, the beginning of its answer, and in one word what went wrong.
 */
import type { Dispatcher } from 'undici'
import { RefusedAddress } from './check-address.ts'
import type { OutboundAnswer, OutboundRequest } from './outbound-call.ts'

export function callOnce(
  dispatcher: Dispatcher,
  request: OutboundRequest,
): Promise<OutboundAnswer> {
  return new Promise((resolve) => new Call(request, resolve).begin(dispatcher))
}

type Headers = Record<string, string | string[] | undefined>

class Call implements Dispatcher.DispatchHandler {
  readonly #request: OutboundRequest
  readonly #resolve: (answer: OutboundAnswer) => void
  readonly #giveUp = (): void => this.#fail('ABORTED')
  #controller: Dispatcher.DispatchController | null = null
  #timer: NodeJS.Timeout | null = null
  #isOver = false
  #status: number | null = null
  #headers: Headers = {}
  #chunks: Buffer[] = []
  #bytesRead = 0

  constructor(request: OutboundRequest, resolve: (answer: OutboundAnswer) => void) {
    this.#request = request
    this.#resolve = resolve
  }

  begin(dispatcher: Dispatcher): void {
    const { method, url, headers, body, signal, withinMs } = this.#request
    if (signal?.aborted) return this.#giveUp()
    signal?.addEventListener('abort', this.#giveUp, { once: true })
    this.#timer = setTimeout(() => this.#fail('ETIMEDOUT'), withinMs)
    try {
      dispatcher.dispatch(
        {
          origin: url.origin,
          path: url.pathname + url.search,
          method,
          headers,
          body: body ?? null,
        },
        this,
      )
    } catch (error) {
      this.#fail(reasonOf(error))
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Its time may have ended while a connection was opened: then nothing of it is written.
    if (!this.#isOver && this.#request.mayWrite?.() === false) this.#giveUp()
    if (this.#isOver) controller.abort(new Error('The call is over'))
    else this.#controller = controller
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Headers,
  ): void {
    if (status < 200) return
    this.#status = status
    this.#headers = headers
    if (this.#request.readMax === 0) this.#answer(status, true)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver || this.#status === null) return
    const room = this.#request.readMax - this.#bytesRead
    this.#chunks.push(chunk.subarray(0, room))
    this.#bytesRead += chunk.length
    if (chunk.length > room) this.#answer(this.#status, true)
  }

  onResponseEnd(): void {
    if (!this.#isOver && this.#status !== null) this.#answer(this.#status, false)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const refused = refusalOf(error)
    if (refused) this.#end({ kind: 'refused', reason: refused.reason })
    else this.#fail(reasonOf(error))
  }

  #answer(status: number, truncated: boolean): void {
    this.#end({
      kind: 'answered',
      status,
      headers: this.#headers,
      body: Buffer.concat(this.#chunks),
      truncated,
    })
    // The rest of the body is not read.
    if (truncated) this.#controller?.abort(new Error('Enough was read'))
  }

  #fail(reason: string): void {
    if (this.#isOver) return
    const response =
      this.#status === null ? null : { status: this.#status, body: Buffer.concat(this.#chunks) }
    this.#end({ kind: 'failed', reason, response, written: this.#controller !== null })
    this.#controller?.abort(new Error('The call is over'))
  }

  #end(answer: OutboundAnswer): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#timer) clearTimeout(this.#timer)
    this.#request.signal?.removeEventListener('abort', this.#giveUp)
    this.#resolve(answer)
  }
}

/** Where several addresses were tried, each has its own error. */
function refusalOf(error: Error): RefusedAddress | null {
  if (error instanceof RefusedAddress) return error
  return error.cause instanceof Error ? refusalOf(error.cause) : null
}

/** The system's codes for the client's own. */
const systemCodes: Record<string, string> = {
  UND_ERR_SOCKET: 'ECONNRESET',
  UND_ERR_CONNECT_TIMEOUT: 'ETIMEDOUT',
  UND_ERR_HEADERS_OVERFLOW: 'HPE_HEADER_OVERFLOW',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'ECONNRESET',
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (code === 'UND_ERR_SOCKET' && error.cause instanceof Error) return reasonOf(error.cause)
  return systemCodes[code] ?? (code || error.message)
}
