/**
 * SpamAssassin, as Debian builds it, with the rules of its package: what it makes of a mail that a
 * mail server took.
 */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eximAt, nameServer } from './places.ts'
import type { Points } from './rspamd.ts'
import { makeFolder, whyNot } from './servers.ts'

const program = '/usr/bin/spamassassin'
export const whyNoSpamassassin = whyNot(program)

/**
 * Returns the check of one mail. It asks this world's DNS, and trusts what the mailbox's host wrote
 * into the header.
 */
export function makeSpamassassin(): (mail: Buffer) => Promise<Points> {
  const home = makeFolder('spamassassin')
  const settings = join(home, 'user_prefs')
  writeFileSync(settings, `trusted_networks ${eximAt}\ndns_server ${nameServer.host}\n`)
  return async (mail) => {
    const env = { ...process.env, HOME: home }
    const child = spawn(program, ['-t', '-p', settings], { env, stdio: ['pipe', 'pipe', 'ignore'] })
    child.stdin.end(mail)
    let report = ''
    for await (const chunk of child.stdout.setEncoding('utf8')) report += String(chunk)
    const rows = report
      .slice(report.lastIndexOf('Content analysis details'))
      .matchAll(/^\s*(-?\d+\.\d+) ([A-Z0-9_]+)/gm)
    return Object.fromEntries([...rows].map(([, points, rule = '']) => [rule, Number(points)]))
  }
}
