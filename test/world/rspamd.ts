/**
 * rspamd, as Debian builds it, with the rules and scores of its package: what it makes of a mail
 * that a mail server took.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/until.ts'
import { mailboxUser, makeFolder, whyNot } from './servers.ts'

const program = '/usr/bin/rspamd'
export const whyNoRspamd = whyNot(program)

/** How a mail came, as a mail server says it to its filter. */
export interface Received {
  ip: string
  helo: string
  returnPath: string
  recipient: string
}

/** Points by the name of the rule. */
export type Points = Record<string, number>

/**
 * Started with the configuration of its package but for `settings()`. Returns the check of one
 * mail.
 */
export async function startRspamd(scope: {
  after(end: () => void): void
}): Promise<(mail: Buffer, how: Received) => Promise<Points>> {
  const home = makeFolder('rspamd', mailboxUser)
  const port = await freePort()
  mkdirSync(join(home, 'override.d'))
  for (const [file, text] of Object.entries(settings(port, home)))
    writeFileSync(join(home, 'override.d', file), text)
  const folders = ['DBDIR', 'RUNDIR', 'LOGDIR', 'LOCAL_CONFDIR'].map(
    (name) => `--var=${name}=${home}`,
  )
  const daemon = spawn(program, ['-f', '-u', mailboxUser, '-g', mailboxUser, ...folders], {
    stdio: 'ignore',
  })
  scope.after(() => void daemon.kill())
  const address = `http://127.0.0.1:${port}`
  const isUp = (): Promise<boolean> =>
    fetch(`${address}/ping`).then(
      ({ ok }) => ok,
      () => false,
    )
  await until(isUp, Boolean, startMs)
  return async (mail, { ip, helo, returnPath, recipient }) => {
    const headers = { IP: ip, Helo: helo, Hostname: helo, From: returnPath, Rcpt: recipient }
    const answer = await fetch(`${address}/checkv2`, {
      method: 'POST',
      headers,
      body: new Uint8Array(mail),
    })
    const { score, symbols }: Checked = JSON.parse(await answer.text())
    const points = Object.fromEntries(
      Object.entries(symbols).map(([name, symbol]) => [name, symbol.score]),
    )
    const sum = Object.values(points).reduce((total, each) => total + each, 0)
    assert.ok(Math.abs(sum - score) < 0.01, `${score}: ${JSON.stringify(points)}`)
    return points
  }
}

interface Checked {
  score: number
  symbols: Record<string, { score: number }>
}

/** It compiles its rules first. */
const startMs = 120_000

/**
 * One worker on the loopback; nothing that asks the services of others. It takes private addresses
 * for its own network as a rule, whose mail it does not authenticate: here all hosts have such
 * addresses. A short list of public suffixes, as the long one takes half a minute to compile.
 */
const settings = (port: number, home: string): Record<string, string> => ({
  'options.inc': `local_addrs = ["127.0.0.0/8"];\nurl_tld = "${home}/override.d/suffixes";\n`,
  suffixes: 'com\norg\ntest\n',
  'worker-normal.inc': `bind_socket = "127.0.0.1:${port}";\ncount = 1;\n`,
  'worker-controller.inc': 'enabled = false;\n',
  'worker-proxy.inc': 'enabled = false;\n',
  'fuzzy_check.conf': 'enabled = false;\n',
})
