/** What a test of an SDK asks of it, whatever language it is in. */

export interface SdkAnswer {
  data?: unknown
  /** As the SDK's users see it. */
  error?: { status: number; name: string; message: string }
}

export interface Sdk {
  version: string
  /** The name of the call in this SDK. Null if it has none. */
  nameOf(call: string): string | null
  /** Calls of the SDK that are none of these. */
  callsBeside(calls: readonly string[]): string[]
  /** Makes the call. A null `args` means with whatever brings it to make its request. */
  make(call: string, args: SdkArguments | null): Promise<SdkAnswer>
  close(): void
}

/** By position as the SDK for Node.js takes them, and as Python does where that differs. */
export interface SdkArguments {
  args: readonly unknown[]
  python?: readonly unknown[] | object
}
