/** Admits mails through an API that sends none itself; the workers on the hosts do. */
import { call, describeEnd } from '../support/fault-calls.ts'
import { serveHere } from '../support/fault-api.ts'
import { restartPort } from '../support/fault-port.ts'
import { mailTo, type FaultWorkspace, type Run } from '../support/fault-world.ts'

/** Its provider is the capture mailbox, so that it sends nothing itself; answers its address. */
export async function openCaptureApi(run: Run, { url }: FaultWorkspace): Promise<string> {
  const port = await restartPort()
  run.after(
    await serveHere({ databaseUrl: url, port, smtpUrl: null, failpoints: [], settings: {} }),
  )
  return `http://127.0.0.1:${port}`
}

export async function admitMails(
  workspace: FaultWorkspace,
  url: string,
  addresses: string[],
): Promise<void> {
  const body = addresses.map((address) => mailTo(workspace, address))
  const end = await call({ url, apiKey: workspace.apiKey, line: 'POST /api/v1/emails/batch', body })
  if (typeof end === 'string' || end.status !== 202)
    throw new Error(`A batch was answered ${describeEnd(end)}`)
}
