/**
 * The yardstick: a Fastify route that inserts one row with the same body and commits, over a pool
 * of 10.
 */
import Fastify from 'fastify'
import pg from 'pg'

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 })
await pool.query(
  'create table if not exists reference (id bigint generated always as identity primary key, body jsonb not null, at timestamptz not null)',
)
const server = Fastify()
server.post('/reference', async (request, reply) => {
  const { rows } = await pool.query<{ id: string }>({
    name: 'insert',
    text: 'insert into reference (body, at) values ($1, clock_timestamp()) returning id',
    values: [JSON.stringify(request.body)],
  })
  return reply.code(202).send({ id: rows[0]?.id })
})
await server.listen({ host: '127.0.0.1', port: Number(process.argv[2]) })
console.log('ready')
