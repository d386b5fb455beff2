/** Checks that Facteur answers at an address: its list of operations needs no key. */

/** Within two seconds by default. Never rejects. */
export async function isFacteur(baseUrl: string, withinMs = 2_000): Promise<boolean> {
  return (await askMap(baseUrl, withinMs)) === 'facteur'
}

/** `facteur`, what else answers, or why nothing does. */
export async function askMap(
  baseUrl: string,
  withinMs: number,
): Promise<'facteur' | { status: number } | { error: unknown }> {
  try {
    const answer = await fetch(`${baseUrl}/api/v1`, {
      signal: AbortSignal.timeout(withinMs),
      redirect: 'manual',
    })
    const { object, name } = Object(await answer.json().catch(() => null)) as Record<
      string,
      unknown
    >
    return object === 'api' && name === 'Facteur' ? 'facteur' : { status: answer.status }
  } catch (error) {
    return { error }
  }
}
