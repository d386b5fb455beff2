/**
 * A receiver of webhooks that is a program of its own: it answers only when what it got is on the
 * disk.
 *
 *   node test/support/webhook-referee.ts --file F [--port N] [--refuse P] [--seed S]
 *
 * The first line on standard output is the port. `--refuse 0.1`: one call in ten is stored and
 * answered 500.
 */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'
import { createDraw } from './fault-draw.ts'

export interface KeptCall {
  id: string
  signature: string
  body: string
  status: number
}

/**
 * All calls that are on the disk, in order. A torn last line was never answered, and is left out.
 */
export function readKept(file: string): KeptCall[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as KeptCall)
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      file: { type: 'string', default: '' },
      port: { type: 'string', default: '0' },
      refuse: { type: 'string', default: '0' },
      seed: { type: 'string', default: '1' },
    },
  })
  const draw = createDraw(Number(values.seed))
  const file = openSync(values.file, 'a')
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (text: string) => (body += text))
    request.on('end', () => {
      const status = draw.next() < Number(values.refuse) ? 500 : 200
      const stored: KeptCall = {
        id: String(request.headers['webhook-id']),
        signature: String(request.headers['service-signature']),
        ...{ body, status },
      }
      writeSync(file, `${JSON.stringify(stored)}\n`)
      fsyncSync(file)
      response.writeHead(status).end()
    })
  })
  server.listen(Number(values.port), '127.0.0.1', () => {
    const address = server.address()
    console.log(typeof address === 'object' && address ? address.port : 0)
  })
  process.on('SIGTERM', () => {
    closeSync(file)
    process.exit(0)
  })
}
