/** Sends a file and reports meanwhile how much of it has left, which `fetch` cannot. */

export interface Watch {
  /** Bytes that have left so far. */
  onSent: (bytes: number) => void
  /** Aborted: the rest stays here. */
  signal: AbortSignal
}

interface Sending extends Partial<Watch> {
  method: string
  headers: Record<string, string>
  file: Blob
}

/**
 * Rejects as `fetch` does: with a TypeError without an answer, with an AbortError when the signal
 * is aborted.
 */
export function sendFile(
  address: string,
  { method, headers, file, onSent, signal }: Sending,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest()
    call.open(method, address)
    call.responseType = 'blob'
    for (const [name, value] of Object.entries(headers)) call.setRequestHeader(name, value)
    if (onSent) call.upload.addEventListener('progress', ({ loaded }) => onSent(loaded))
    call.addEventListener('load', () => resolve(answerOf(call)))
    call.addEventListener('error', () => reject(new TypeError('No answer')))
    call.addEventListener('abort', () =>
      reject(new DOMException('It was broken off', 'AbortError')),
    )
    signal?.addEventListener('abort', () => call.abort())
    call.send(file)
  })
}

function answerOf(call: XMLHttpRequest): Response {
  const lines = call.getAllResponseHeaders().trim().split('\r\n')
  const headers = lines.filter(Boolean).map((line): [string, string] => {
    const [name = '', ...rest] = line.split(': ')
    return [name, rest.join(': ')]
  })
  const { status } = call
  return new Response(status === 204 ? null : call.response, { status, headers })
}
