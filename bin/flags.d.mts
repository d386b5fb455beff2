export const serviceFlags: string[]
export const commandFlags: string[]
