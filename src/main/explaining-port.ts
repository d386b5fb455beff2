/** Explains in one line, with the setting to change, why the process cannot listen on a port. */
import { OperatorError } from '../ground/operator-error.ts'
import type { SettingName } from '../ground/config.ts'

export interface PortUse {
  host: string
  port: number
  /** The variables that name them. */
  setting: SettingName
  hostSetting?: SettingName
}

export async function explainingPort<T>(use: PortUse, open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    const reason = reasons(use)[(error as NodeJS.ErrnoException).code ?? '']
    throw reason === undefined
      ? error
      : new OperatorError(`Cannot listen on ${use.host}:${use.port}: ${reason}.`)
  }
}

const reasons = ({ setting, hostSetting = 'FACTEUR_HOST' }: PortUse): Record<string, string> => ({
  EADDRINUSE: `another program has this port; stop it, or set ${setting}`,
  EACCES: `the system keeps this port for administrators; set ${setting} above 1023`,
  EADDRNOTAVAIL: `this machine has no such address; set ${hostSetting}`,
  EINVAL: `this is no address of this machine; set ${hostSetting}`,
  EAI_AGAIN: `the name cannot be looked up now; set ${hostSetting} to an address of this machine`,
  ENOTFOUND: `the name is unknown; set ${hostSetting} to an address of this machine`,
})
