/**
 * A delivered mail as its receiver verifies it, by the code of others: mailauth (DKIM, SPF, DMARC)
 * and dkimpy (DKIM).
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { authenticate } from 'mailauth'
import { runProgram } from '../cli/facteur.ts'

export interface Verdict {
  dkim: { algorithm: string; result: string; aligned: string | false }[]
  spf: { result: string; domain: string }
  dmarc: { result: string; spfAligned: string | false }
}

/** The parts of mailauth's answer that we read; its own types leave the algorithm out. */
interface Authentication {
  dkim: { results: { algo: string; status: { result: string; aligned: string | false } }[] }
  spf: { domain: string; status: { result: string } }
  dmarc: { status: { result: string }; alignment: { spf: { result: string | false } } }
}

/**
 * The envelope's sender is what the mail server wrote into `Return-Path`; keys and policies are
 * looked up in this world's DNS.
 */
export async function checkByMailauth(
  mail: Buffer,
  from: { ip: string; helo: string },
): Promise<Verdict> {
  const options = {
    ...from,
    sender: returnPathOf(mail),
    mta: 'receiver.test',
    trustReceived: false,
  }
  const { dkim, spf, dmarc }: Authentication = JSON.parse(
    JSON.stringify(await authenticate(mail, options)),
  )
  return {
    dkim: dkim.results.map(({ algo, status }) => ({
      algorithm: algo,
      result: status.result,
      aligned: status.aligned,
    })),
    spf: { result: spf.status.result, domain: spf.domain },
    dmarc: { result: dmarc.status.result, spfAligned: dmarc.alignment.spf.result },
  }
}

/**
 * Debian's python3-dkim: `/usr/bin/python3` has it in the namespace. Null if it is not there. Not
 * in step with us: it asks our name server.
 */
export async function checkByDkimpy(
  mail: Buffer,
): Promise<{ algorithm: string; domain: string; passes: boolean }[] | null> {
  if (spawnSync('/usr/bin/python3', ['-c', 'import dkim, nacl']).status !== 0) return null
  const { code, stdout, stderr } = await runProgram(
    [join(import.meta.dirname, 'verify-dkim.py')],
    {},
    mail,
    '/usr/bin/python3',
  )
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout.toString())
}

export const returnPathOf = (mail: Buffer): string =>
  /^Return-Path: <(.*)>\r?$/im.exec(mail.toString('latin1'))?.[1] ?? ''
