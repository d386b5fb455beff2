/**
 * A receiver in a process of its own: answers 200 at once, counts, and reports when the counted
 * calls began and ended.
 */
import { createServer } from 'node:http'

const port = Number(process.argv[2])
let count = 0
let firstMs = 0
let lastMs = 0
let awaited = 0
let notify: (() => void) | null = null
/** When each event was received, by identifier. */
const receivedMs = new Map<string, number>()

const now = (): number => performance.timeOrigin + performance.now()

createServer((request, response) => {
  if (request.method === 'GET')
    return control(request.url ?? '', (body) => response.end(JSON.stringify(body)))
  request.resume()
  const id = request.headers['webhook-id']
  request.on('end', () => {
    response.end('ok')
    lastMs = now()
    if (count++ === 0) firstMs = lastMs
    if (typeof id === 'string' && receivedMs.size < 10_000) receivedMs.set(id, lastMs)
    if (count === awaited) notify?.()
  })
})
  .on('connection', (socket) => socket.setNoDelay(true))
  .listen(port, '127.0.0.1', () => console.log('ready'))

/**
 * `/reset?n`: counts from zero. `/wait?n`: answers once n were received. `/times`: when each was.
 */
function control(url: string, answer: (body: unknown) => void): void {
  const [path, argument] = url.split('?')
  if (path === '/reset') {
    count = 0
    receivedMs.clear()
    answer({})
  } else if (path === '/times') answer([...receivedMs])
  else {
    awaited = Number(argument)
    notify = () => answer({ count, firstMs, lastMs })
    if (count >= awaited) notify()
  }
}
