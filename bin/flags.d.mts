export const serviceFlagsFor: (bytes: number) => string[]
export const serviceFlags: string[]
export const commandFlags: string[]
export const allocatorSettings: Record<string, string>
