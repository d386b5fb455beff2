/**
 * A service whose mail leaves by Amazon SES, with stand-ins for SES, SQS and SNS on real sockets.
 */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { addSesHook } from '../../src/entrypoints/inbound/amazon-ses/add-ses-hook.ts'
import { amazonSesChoice } from '../../src/providers/amazon-ses/amazon-ses-kind.ts'
import type { SesSettings } from '../../src/providers/amazon-ses/ses-settings.ts'
import { startApi, type Api, type ApiOptions, type TestWorkspace } from '../support/api.ts'
import { ask, textAt } from '../support/ask.ts'
import {
  startAwsStandIn,
  testAccount,
  type AwsStandIn,
  type SentBySes,
} from '../support/aws-stand-in.ts'
import {
  snsHost,
  startSnsStandIn,
  topicArn,
  type Notice,
  type SnsStandIn,
} from '../support/sns-stand-in.ts'
import { untilNothingLeased } from '../support/relay-world.ts'

export interface SesWorld extends Api {
  aws: AwsStandIn
  sns: SnsStandIn
  /** The lines of the log, as texts. */
  logged: string[]
  /** Posts a notice as SNS does; answers the status. */
  post(notice: Notice | string, headers?: Record<string, string>): Promise<number>
  /** Sends one mail of a workspace through SES, and answers it as SES has it. */
  mailOf(workspace: TestWorkspace, to?: string): Promise<{ id: string; mail: SentBySes }>
  /** A recipient's row. */
  row(workspace: TestWorkspace, id: string): Promise<{ status: string; error: string | null }>
  /** The contents of the tables that notices write: if two are equal, nothing changed. */
  state(): Promise<unknown>
}

export async function startSesWorld(
  settings: Partial<SesSettings> = {},
  options: ApiOptions = {},
): Promise<SesWorld> {
  const [aws, sns] = await Promise.all([startAwsStandIn(), startSnsStandIn()])
  const logged: string[] = []
  const say = (fields: object, message: string): void =>
    void logged.push(`${message} ${JSON.stringify(fields)}`)
  const api = await startApi({
    choice: amazonSesChoice({
      ...testAccount,
      ...{
        endpoint: aws.url,
        configurationSet: 'facteur',
        topicArns: [topicArn],
        queueUrl: null,
        ...settings,
      },
    }),
    log: { debug: say, info: say, warn: say, error: say },
    outbound: {
      rewrite: (url) => (url.host === snsHost ? new URL(url.pathname + url.search, sns.url) : url),
    },
    entry: (service) => ({
      addRoutes: (server, _answerPage, entryPoints) => addSesHook(server, service, entryPoints),
    }),
    workers: false,
    ...options,
  })
  after(async () => {
    await aws.close()
    await sns.close()
  })
  return {
    ...api,
    ...{ aws, sns, logged },
    async post(notice, headers = {}) {
      const answer = await fetch(`${api.baseUrl}/hooks/amazon-ses`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain; charset=UTF-8', ...headers },
        body: typeof notice === 'string' ? notice : JSON.stringify(notice),
      })
      await answer.text()
      return answer.status
    },
    async mailOf(workspace, to = `ada${Math.random()}@example.com`) {
      const email = { from: `hello@${workspace.domain}`, to, subject: 'Bonjour', text: 'Bonjour' }
      const answer = await ask(api.baseUrl, 'POST /api/v1/emails', {
        key: workspace.key,
        body: email,
      })
      assert.equal(answer.status, 202, JSON.stringify(answer.body))
      const mail = aws.sent.findLast((sent) => sent.to[0] === to)
      assert.ok(mail)
      await untilNothingLeased(api.service)
      return { id: textAt(answer, 'id'), mail }
    },
    async row(workspace, id) {
      const [row] = await api.service.db.rows<{ status: string; error: string | null }>(sql`
        select status, error from recipient where workspace_id = ${workspace.id} and message_id = ${id}`)
      assert.ok(row)
      return row
    },
    state: () =>
      api.service.db.rows(sql`
        select (select json_agg(r order by message_id) from recipient r) as recipients, (select count(*) from feedback) as feedback,
          (select count(*) from suppression) as suppressions, (select json_agg(n order by id) from ses_notice n) as notices,
          (select json_agg(t) from ses_topic t) as topics`),
  }
}

/** An event of SES about a mail, as event publishing reports it. */
export function eventOf(
  mail: SentBySes,
  type: string,
  more: object = {},
  tags: Record<string, string> = mail.tags,
): object {
  const listed = Object.fromEntries(Object.entries(tags).map(([name, value]) => [name, [value]]))
  return {
    eventType: type,
    mail: {
      ...{
        timestamp: new Date().toISOString(),
        source: 'hello@example.com',
        messageId: mail.messageId,
      },
      ...{ destination: mail.to, tags: { ...listed, 'ses:configuration-set': ['facteur'] } },
    },
    ...more,
  }
}

export const bounceOf = (mail: SentBySes, changes: object = {}): object =>
  eventOf(mail, 'Bounce', {
    bounce: {
      ...{
        bounceType: 'Permanent',
        bounceSubType: 'NoEmail',
        feedbackId: `feedback ${mail.messageId}`,
      },
      timestamp: new Date().toISOString(),
      bouncedRecipients: [
        {
          emailAddress: mail.to[0],
          action: 'failed',
          status: '5.1.1',
          diagnosticCode: 'smtp; 550 5.1.1 user unknown',
        },
      ],
      ...changes,
    },
  })
