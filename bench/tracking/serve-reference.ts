/**
 * The yardstick behind HTTP: a bare Fastify route whose requests share plain inserts of the same
 * rows, answered after the commit.
 */
import Fastify from 'fastify'
import { bareInsert, makeRequests } from './bare-insert.ts'

const url = process.env['DATABASE_URL'] ?? ''
const { insert } = await bareInsert(url)
const waiting: (() => void)[] = []
let underWay = 0

function flush(): void {
  if (underWay === 2 || waiting.length === 0 || (underWay === 1 && waiting.length < 64)) return
  const group = waiting.splice(0, 512)
  underWay++
  void insert(makeRequests(group.length)).then(() => {
    underWay--
    for (const answer of group) answer()
    setImmediate(flush)
  })
}

const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')
const server = Fastify()
server.get('/o/:token', async (_request, reply) => {
  await new Promise<void>((resolve) => {
    waiting.push(resolve)
    setImmediate(flush)
  })
  return reply.type('image/gif').send(gif)
})
await server.listen({ host: '127.0.0.1', port: Number(process.argv[2]) })
console.log('ready')
