/**
 * Programs that others wrote hand mail in, each in a process of its own: what arrives at the
 * relay's server is compared part by part, and each refusal is shown to the program's user.
 * `sh test/submission/fetch-programs.sh` brings those that are not installed.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mailsOf } from './program-mails.ts'
import { keepProgramResult, type Column, type ProgramName } from './program-results.ts'
import { compareArrived, plain, secured, securedShop, shop } from './program-world.ts'
import { programs, type Program } from './programs.ts'

for (const [name, program] of Object.entries(programs) as [ProgramName, Program][])
  test(
    `${name}: the mail arrives part by part, through TLS too; unverified and suppressed ones are refused to its user`,
    { skip: program.missing ?? false },
    async (t) => {
      const { submit, lacks = [] } = program
      const compared = new Set<Column>()

      await t.test('without TLS, on this machine', async () => {
        const mails = mailsOf(name, shop.domain).filter(
          ({ step }) => !lacks.includes(step as Column),
        )
        const replies = await submit(mails, { port: plain.port, key: shop.key, tls: 'none' })
        assert.match(replies.get('good') ?? '', /250/)
        assert.match(replies.get('unverified') ?? '', /550[\s\S]*elsewhere\.test/)
        assert.match(replies.get('suppressed') ?? '', /550[\s\S]*left@example\.com/)
        const sent = mails.filter(({ step }) => step === 'good' || step === 'charset')
        for (const column of await compareArrived(name, { lacks, sent })) compared.add(column)
        compared.add('refused From').add('suppressed recipient')
      })

      for (const tls of ['STARTTLS', 'TLS'] as const) {
        if (lacks.includes(tls)) continue
        await t.test(tls, async () => {
          const ofTls = `${name}-${tls.toLowerCase()}`
          const sent = mailsOf(ofTls, securedShop.domain).filter(({ step }) => step === 'good')
          const port = tls === 'TLS' ? secured.tlsPort : secured.port
          const replies = await submit(sent, { port, key: securedShop.key, tls })
          assert.match(replies.get('good') ?? '', /250/)
          await compareArrived(ofTls, { lacks, sent })
          compared.add(tls)
        })
      }
      keepProgramResult(name, compared)
    },
  )
