// Referenced documents of a specification: fetched only from the hosts of its registration.

import { GatewayError } from '../contract/error.ts'
import { bounded, NO_OPERATION } from '../discovery/failure.ts'
import type { Discovery } from '../discovery/tool.ts'
import type { Pin } from '../net/pin.ts'

const MOST_DOCUMENTS = 50
const MOST_CHARACTERS = 20 * 1024 * 1024
/** A fetched document may reference others. */
const MOST_ROUNDS = 8

export async function withDocuments(
  pins: readonly Pin[],
  fetched: (address: string, pin: Pin) => Promise<string>,
  discover: (documents: Readonly<Record<string, string>>) => Promise<Discovery>,
): Promise<Discovery> {
  const documents: Record<string, string> = {}
  const asked = new Set<string>()
  const unread: string[] = []
  const pinOf = (address: string): Pin | undefined =>
    URL.canParse(address) ? pins.find(({ origin }) => origin === new URL(address).origin) : undefined
  for (let round = 0; ; round += 1) {
    const found = await discover(documents)
    const { foreign = [], ...discovery } = found
    const wanted = foreign.filter((address) => !asked.has(address) && pinOf(address) !== undefined)
    const left = MOST_DOCUMENTS - asked.size
    const size = Object.values(documents).reduce((sum, { length }) => sum + length, 0)
    if (wanted.length === 0 || left === 0 || round === MOST_ROUNDS || size > MOST_CHARACTERS) {
      const warned = { ...discovery, warnings: [...discovery.warnings, ...unread] }
      return bounded(warned, Number.POSITIVE_INFINITY, NO_OPERATION)
    }
    for (const address of wanted.slice(0, left)) {
      asked.add(address)
      const pin = pinOf(address)
      try {
        if (pin !== undefined) documents[address] = await fetched(address, pin)
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error
        unread.push(`${address}: ${error.message}`)
      }
    }
  }
}
