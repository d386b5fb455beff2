/** Single sends make nobody a subscriber (spec: POST /emails). */
import { sql } from '../../src/db/connect.ts'
import { at } from '../support/json.ts'
import { acceptedId, call, tellEnd } from '../support/fault-calls.ts'
import { mailTo, openWorld } from '../support/fault-world.ts'
import type { World } from '../support/fault-world.ts'
import { restartPort } from '../support/fault-port.ts'
import type { Scenario } from './scenario.ts'

const sends = 1_000
const clients = 16

export const subscribersUnchanged: Scenario = {
  name: 'subscribers-unchanged',
  promise: '1,000 API sends leave me.subscribers as it was',
  broken: [],
  async play(run) {
    const world = await openWorld(run)
    const port = await restartPort()
    await world.start({ role: 'all', port, smtpUrl: null })
    const known = run.draw.between(1, 9)
    await subscribe(world, known)
    const ask = (line: string, body?: unknown) => call({ url: world.addressOf(port), apiKey: world.apiKey, line, body })
    const wrong: string[] = []
    let next = 0
    const client = async (): Promise<void> => {
      while (next < sends) {
        // One in ten goes to a subscriber.
        const number = next++
        const end = await ask(
          'POST /api/v1/emails',
          mailTo(world, number % 10 === 0 ? subscriber(number % known) : `mail-${number}@example.test`),
        )
        if (acceptedId(end) === null) wrong.push(`a send ended with ${tellEnd(end)}`)
      }
    }
    await Promise.all(Array.from({ length: clients }, client))
    const me = await ask('GET /api/v1/me')
    const count = typeof me === 'string' ? me : at(me.body, 'subscribers')
    return [...wrong, ...(count === known ? [] : [`me.subscribers is ${String(count)}, and was ${known}`])]
  },
}

const subscriber = (number: number): string => `subscriber-${number}@example.test`

async function subscribe({ db, workspaceId }: World, count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    await db.count(sql`
      insert into subscriber (workspace_id, id, email, status, created_at)
      values (${workspaceId}, gen_random_uuid(), ${subscriber(number)}, 'subscribed', facteur_now())`)
  }
}
