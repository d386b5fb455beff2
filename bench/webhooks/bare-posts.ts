/**
 * The yardstick: `undici` posts the same bytes, with headers as long, as fast as it can; nothing is
 * signed, claimed or stored.
 */
import { Pool } from 'undici'

const [port = '', posts = '', body = ''] = process.argv.slice(2)
const connections = 64
const pool = new Pool(`http://127.0.0.1:${port}`, { connections })
const headers = {
  'content-type': 'application/json',
  'service-signature': `t=1795258627,v1=${'0'.repeat(64)}`,
  'webhook-id': `evt_${'0'.repeat(32)}`,
  'webhook-timestamp': '1795258627',
  'webhook-signature': `v1,${'0'.repeat(44)}`,
}
let left = Number(posts)

async function postOn(): Promise<void> {
  while (left-- > 0) {
    const answer = await pool.request({ method: 'POST', path: '/hook', headers, body })
    await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`Answered ${answer.statusCode}`)
  }
}

await Promise.all(Array.from({ length: connections }, postOn))
await pool.close()
console.log('done')
